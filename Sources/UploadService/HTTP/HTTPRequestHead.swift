internal import AttachmentPrep

/// A request's head, read strictly.
///
/// libmicrohttpd is lenient where another server before this one might read the same bytes as another request, so
/// whatever has two readings is refused here (RFC 9112, 3.2, 6.1, 6.3, 11.2).
struct HTTPRequestHead {
    let method: String
    let target: RequestTarget
    let isVersion10: Bool
    /// Names in lower case, in the order they came.
    let headers: [(name: String, value: String)]
    /// Nil without a body or with one of unknown length.
    let contentLength: Int?
    let isChunked: Bool

    static let mostHeaders = 100
    /// No body that we take is longer.
    private static let mostLengthDigits = 18

    /// A header as it came.
    struct Field {
        let name: [UInt8]
        let value: [UInt8]
    }

    /// - Throws: what is wrong with it, as an answer.
    init(
        method: String, target: String, version: String, fields: [Field]
    ) throws(HTTPRefusal) {
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw HTTPRefusal(505, .invalidPayload, "only HTTP/1.1 and HTTP/1.0 are spoken here")
        }
        self.method = method
        isVersion10 = version == "HTTP/1.0"
        guard fields.count <= Self.mostHeaders else {
            throw HTTPRefusal(431, .invalidPayload, "more than \(Self.mostHeaders) headers")
        }
        var headers: [(name: String, value: String)] = []
        for field in fields {
            guard !field.name.isEmpty, field.name.allSatisfy(Self.isToken) else {
                throw Self.bad("a header's name has a character that names have not")
            }
            guard field.value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw Self.bad("a header's value has a control character")
            }
            headers.append(
                (
                    String(decoding: field.name, as: UTF8.self).lowercased(),
                    String(decoding: field.value, as: UTF8.self)
                ))
        }
        self.headers = headers
        (contentLength, isChunked) = try Self.length(headers, isVersion10: isVersion10)
        try Self.checkHost(headers, isVersion10: isVersion10)
        self.target = try RequestTarget(target)
        if let expectation = headers.first(where: { $0.name == "expect" })?.value,
            expectation.lowercased() != "100-continue"
        {
            throw HTTPRefusal(417, .invalidPayload, "this cannot be expected: \(expectation.prefix(40))")
        }
    }

    /// The value of a header that may come once; what comes first where it comes more often.
    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }

    private static func length(
        _ headers: [(name: String, value: String)], isVersion10: Bool
    ) throws(HTTPRefusal) -> (Int?, Bool) {
        let lengths = headers.filter { $0.name == "content-length" }.map(\.value)
        let codings = headers.filter { $0.name == "transfer-encoding" }.map(\.value)
        guard lengths.count <= 1, codings.count <= 1, lengths.isEmpty || codings.isEmpty else {
            throw bad("the body's length is said twice")
        }
        if let coding = codings.first {
            guard coding.lowercased() == "chunked" else {
                throw HTTPRefusal(501, .invalidPayload, "this transfer coding is not known; use chunked")
            }
            guard !isVersion10 else { throw bad("HTTP/1.0 has no chunks") }
            return (nil, true)
        }
        guard let text = lengths.first else { return (nil, false) }
        guard (1...mostLengthDigits).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text)
        else { throw bad("Content-Length is no number") }
        return (length, false)
    }

    private static func checkHost(
        _ headers: [(name: String, value: String)], isVersion10: Bool
    ) throws(HTTPRefusal) {
        let hosts = headers.filter { $0.name == "host" }.map(\.value)
        guard hosts.count == 1 || hosts.isEmpty && isVersion10 else {
            throw bad("there must be one Host header")
        }
        guard let host = hosts.first else { return }
        guard host.utf8.count <= 255, host.utf8.allSatisfy(isHostCharacter) else {
            throw bad("the Host header is no host")
        }
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: Array(".-_:[]".utf8).contains(byte)
        }
    }

    /// RFC 9110, 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
        }
    }

    private static func bad(_ message: String) -> HTTPRefusal { HTTPRefusal(400, .invalidPayload, message) }
}
