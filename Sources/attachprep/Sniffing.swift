internal import AttachmentPrep
internal import MediaTypes

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Looks at the beginning of files.
enum Sniffing {
    /// What decides the family of a file, at most.
    static let headLength = 4096

    /// The type of a file, told from its first bytes; nil if it cannot be read.
    static func format(of path: FilePath) -> MediaFormat? {
        guard let file = try? OpenFile(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY),
            let head = try? file.read(headLength, at: 0)
        else { return nil }
        return format(ofHead: head)
    }

    static func format(ofHead head: [UInt8]) -> MediaFormat {
        var sniffer = MediaSniffer()
        sniffer.push(head.span)
        sniffer.finish()
        return sniffer.format ?? .unknown
    }

    /// Reads from a descriptor until the type is sure.
    static func settle(_ descriptor: Int32) throws(SystemError) -> MediaSniffer {
        var sniffer = MediaSniffer()
        var step = headLength
        while !sniffer.isSettled {
            let bytes = try FileSystem.read(step, from: descriptor)
            if bytes.isEmpty { break }
            sniffer.push(bytes.span)
            // Most files are settled by the first piece; what a movie's header needs comes in larger ones.
            step = 65536
        }
        sniffer.finish()
        return sniffer
    }
}

/// One line of `sniff`.
struct SniffResult: Encodable {
    var input: String
    var inputBytes: String?
    var format: MediaFormat
    var mimeType: String?
    var typeHint: String?
    var fileExtension: String?
    var action: MediaAction
    var claimedExtension: String?
    var typeMismatch: Bool

    init(input: FilePath, claim: ClaimedExtension?, sniffer: MediaSniffer) {
        self.input = input.display
        inputBytes = input.undisplayableBase64
        format = sniffer.format ?? .unknown
        mimeType = format.mimeType
        typeHint = sniffer.typeHint
        fileExtension = sniffer.fileExtension
        action = sniffer.rejection == nil ? format.action : .reject
        claimedExtension = claim?.text
        typeMismatch = claim?.matches(format) == false
    }

    private enum Key: String, CodingKey {
        case input, inputBytes, format, mimeType, typeHint, fileExtension, action, claimedExtension,
            typeMismatch
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(input, forKey: .input)
        if let inputBytes { try object.encode(inputBytes, forKey: .inputBytes) }
        try object.encode(format.rawValue, forKey: .format)
        try object.encode(mimeType, forKey: .mimeType)
        try object.encode(typeHint, forKey: .typeHint)
        try object.encode(fileExtension, forKey: .fileExtension)
        try object.encode(action.rawValue, forKey: .action)
        try object.encode(claimedExtension, forKey: .claimedExtension)
        try object.encode(typeMismatch, forKey: .typeMismatch)
    }

    /// One line for people: `photo.jpg: png, image/png, public.png, transcode (named .jpg)`.
    var text: String {
        var parts = [format.rawValue] + [mimeType, typeHint].compactMap { $0 } + [action.rawValue]
        parts[0] = "\(Display.safe(input)): \(parts[0])"
        let named = typeMismatch ? claimedExtension.map { " (named .\($0))" } : nil
        return parts.joined(separator: ", ") + (named ?? "")
    }
}

/// Runs `attachprep sniff INPUT...`.
enum SniffCommand {
    static func run(_ settings: Settings, _ operands: [FilePath], _ console: Console) -> Int32 {
        var status: Int32 = 0
        for operand in operands {
            do {
                let result = try sniff(operand)
                if settings.json { console.json(result) } else { console.line(result.text) }
            } catch {
                console.complain("\(Display.safe(operand.display)): \(error.message)")
                status = 1
            }
            if !console.isOpen { break }
        }
        return status
    }

    private static func sniff(_ operand: FilePath) throws(SystemError) -> SniffResult {
        if operand.bytes.elementsEqual("-".utf8) {
            return SniffResult(input: operand, claim: nil, sniffer: try Sniffing.settle(0))
        }
        let file = try OpenFile(operand, flags: O_RDONLY | O_NOCTTY)
        let sniffer = try Sniffing.settle(file.descriptor)
        return SniffResult(input: operand, claim: ClaimedExtension(operand.display), sniffer: sniffer)
    }
}
