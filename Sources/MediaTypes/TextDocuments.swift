/// Text in a picture's place: web pages, SVG, XML, JSON.
enum TextDocuments {
    static func look(at window: SniffWindow) -> Look {
        let text = DocumentText(window)
        let start = text.skippingSpace(from: 0)
        switch text.character(start) {
        case nil: return window.needsSome
        case "<":
            var reader = MarkupReader(text: text, position: start)
            return reader.read() ?? window.needsSome
        case "{", "[":
            guard let isJSON = looksLikeJSON(text, at: start) else { return window.needsSome }
            return isJSON ? .yes(.json, .errorDocument) : .no
        default: return .no
        }
    }

    /// Whether what follows the bracket can follow it in JSON (RFC 8259); nil if it has not come yet.
    ///
    /// `{` alone also begins RTF and PostScript, `[` alone the sections of settings files.
    private static func looksLikeJSON(_ text: DocumentText, at start: Int) -> Bool? {
        let inside = text.skippingSpace(from: start + 1)
        guard let next = text.character(inside) else { return text.isFinal ? false : nil }
        if text.character(start) == "{" { return next == "\"" || next == "}" }
        switch next {
        case "{", "[", "\"", "]": return true
        case "-", "0"..."9": return numberEndsWell(text, at: inside)
        case "t": return text.has("true", at: inside)
        case "f": return text.has("false", at: inside)
        case "n": return text.has("null", at: inside)
        default: return false
        }
    }

    /// Whether a number is followed by a comma, a bracket or white space.
    private static func numberEndsWell(_ text: DocumentText, at start: Int) -> Bool? {
        var index = start
        var last: Unicode.Scalar?
        while let character = text.character(index) {
            switch character {
            case "0"..."9", ".", "e": index += 1
            case "-" where last == nil || last == "e", "+" where last == "e": index += 1
            case ",", "]": return true
            default: return DocumentText.isSpace(character)
            }
            last = character
        }
        return text.isFinal ? false : nil
    }
}

/// Reads markup up to the name of its first element.
private struct MarkupReader {
    let text: DocumentText
    var position: Int
    private var isXML = false
    private var hasComment = false

    init(text: DocumentText, position: Int) {
        self.text = text
        self.position = position
    }

    /// What the document is; nil if more text is needed.
    mutating func read() -> Look? {
        while true {
            position = text.skippingSpace(from: position)
            guard text.character(position) != nil else { return endOfText }
            guard let isInstruction = text.has("<?", at: position) else { return nil }
            guard let isComment = text.has("<!--", at: position) else { return nil }
            guard let isDocumentType = text.has("<!doctype", at: position) else { return nil }
            if isInstruction {
                guard let isDeclaration = text.has("<?xml", at: position) else { return nil }
                if isDeclaration { isXML = true }
                guard let end = text.end(of: "?>", from: position + 2) else { return endOfText }
                position = end
            } else if isComment {
                hasComment = true
                guard let end = text.end(of: "-->", from: position + 4) else { return endOfText }
                position = end
            } else if isDocumentType {
                if let found = documentType() { return found }
                guard let end = endOfDocumentType() else { return endOfText }
                position = end
            } else {
                return root()
            }
        }
    }

    /// The answer where the text ends before its first element; nil if it may go on.
    private var endOfText: Look? { text.isFinal ? unknownRoot : nil }

    /// The answer for an element whose name says nothing.
    ///
    /// A comment alone makes a web page (WHATWG MIME Sniffing, 7.1).
    private var unknownRoot: Look {
        if isXML { return .yes(.xml) }
        return hasComment ? .yes(.html) : .no
    }

    /// `<!DOCTYPE html` and `<!DOCTYPE svg` settle it; nil if the type is another or has not come yet.
    private mutating func documentType() -> Look? {
        guard let name = name(at: text.skippingSpace(from: position + 9)) else { return nil }
        if name == "html" { return .yes(.html) }
        if name == "svg" { return .yes(.svg) }
        isXML = true
        return nil
    }

    /// The index behind the document type declaration, whose inner part in brackets has `>` of its own.
    private func endOfDocumentType() -> Int? {
        var depth = 0
        var index = position
        while let character = text.character(index) {
            index += 1
            switch character {
            case "[": depth += 1
            case "]": depth -= 1
            case ">" where depth <= 0: return index
            default: continue
            }
        }
        return nil
    }

    /// The answer by the first element.
    private func root() -> Look? {
        guard text.character(position) == "<" else { return unknownRoot }
        guard let name = name(at: position + 1) else { return endOfText }
        switch name.split(separator: ":").last {
        case "svg": return .yes(.svg)
        case "html": return .yes(.html)
        case "error", "errorresponse":
            // As S3 and the servers that speak its protocol answer: <Error><Code>NoSuchKey</Code>…
            if text.end(of: "<code>", from: position) != nil { return .yes(.xml, .errorDocument) }
            return endOfText
        default:
            return !isXML && Self.pageElements.contains(name) ? .yes(.html) : unknownRoot
        }
    }

    /// The name that begins at `start`, or nil if the text ends within it and may go on.
    private func name(at start: Int) -> String? {
        var name = ""
        var index = start
        while let character = text.character(index) {
            if DocumentText.isSpace(character) || character == ">" || character == "/" || character == "[" {
                return name
            }
            name.unicodeScalars.append(character)
            index += 1
        }
        return text.isFinal ? name : nil
    }

    /// Elements a web page may begin with (WHATWG MIME Sniffing, 7.1).
    private static let pageElements: Set<String> = [
        "head", "body", "script", "title", "style", "iframe", "h1", "div", "font", "table", "a", "b", "br",
        "p",
    ]
}
