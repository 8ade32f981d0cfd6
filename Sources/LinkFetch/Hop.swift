internal import AttachmentPrep

/// One request and its answer, as libcurl tells of it.
///
/// All calls come from within the transfer, on its thread.
final class Hop {
    private let policy: AddressPolicy
    private let log: @Sendable (String) -> Void
    private let body: any LinkBody
    private let maxBytes: Int
    private let gzip = GzipLayer()
    private(set) var head = ResponseHead()
    /// First bytes of an answer that is no picture.
    private(set) var refusal: [UInt8] = []
    private(set) var failure: PrepError?
    /// Whether the transfer was stopped because no more of it is needed.
    private(set) var isEnough = false
    private var bytesSeen = 0
    private var connections = 0
    private var refusedAddress: PrepError?

    private static let longestRefusal = 4096

    init(options: FetchOptions, maxBytes: Int, body: any LinkBody) {
        policy = AddressPolicy(rules: options.allowedAddresses)
        log = options.log
        self.maxBytes = maxBytes
        self.body = body
    }

    var status: Int { head.status }

    var sawBody: Bool { status == 200 }

    var isOver: Bool { body.isOver }

    /// Why there was no connection, if that is because none of the host's addresses may be connected to.
    var refusalOfAddresses: PrepError? { connections == 0 ? refusedAddress : nil }

    func mayConnect(_ address: SocketAddress, port: UInt16) -> Bool {
        let verdict = policy.verdict(address, port: port)
        switch verdict {
        case .allowed: break
        case .allowedByRule: log("connecting to \(address.text) port \(port), as --allow-address permits")
        case .reserved, .port:
            refusedAddress = LinkRefusal.blocked(verdict, address, port: port)
            return false
        }
        connections += 1
        return true
    }

    func takeHeader(_ line: String) -> Bool {
        head.take(line)
        if head.bytes > ResponseHead.longest { failure = LinkRefusal.headersTooLong }
        if head.isWhole, status == 200, head.contentLength > maxBytes {
            failure = SourceReader.tooLarge(maxBytes)
        }
        // What comes with a redirect is for people.
        if head.isWhole, (300...399).contains(status), !head.location.isEmpty { isEnough = true }
        return failure == nil && !isEnough
    }

    func takeBody(_ bytes: Span<UInt8>) -> Bool {
        bytesSeen += bytes.count
        guard status == 200 else {
            // Some of what a server says with an error helps to understand it; all of it would be too much.
            let wanted = min(bytes.count, Self.longestRefusal - refusal.count)
            for index in 0..<wanted { refusal.append(bytes[index]) }
            isEnough = refusal.count == Self.longestRefusal
            return !isEnough
        }
        do throws(PrepError) {
            guard bytesSeen <= maxBytes else { throw SourceReader.tooLarge(maxBytes) }
            try gzip.push(bytes) { (plain) throws(PrepError) in try body.push(plain) }
        } catch {
            failure = error
            return false
        }
        isEnough = !body.needsMoreInput
        return !isEnough
    }

    /// The body is whole.
    func finish() throws(PrepError) {
        guard !isEnough else { return }
        try gzip.finish { (plain) throws(PrepError) in try body.push(plain) }
    }
}

// The same for C.
extension Hop {
    private static func own(_ context: UnsafeMutableRawPointer?) -> Hop? {
        unsafe context.map { unsafe Unmanaged<Hop>.fromOpaque($0).takeUnretainedValue() }
    }

    static let mayConnect:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int, UInt16) -> Bool = {
            context, address, count, port in
            let bytes = unsafe Array(UnsafeBufferPointer(start: address, count: count))
            guard let hop = unsafe own(context), let address = SocketAddress(bytes) else { return false }
            return hop.mayConnect(address, port: port)
        }

    static let takeHeader: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int) -> Bool = {
        context, line, count in
        let bytes = unsafe UnsafeBufferPointer(start: line, count: count).map(UInt8.init(bitPattern:))
        return unsafe own(context)?.takeHeader(String(decoding: bytes, as: UTF8.self)) ?? false
    }

    static let takeBody: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Bool = {
        context, bytes, count in
        let buffer = unsafe UnsafeBufferPointer(start: bytes, count: count)
        return unsafe own(context)?.takeBody(Span(_unsafeElements: buffer)) ?? false
    }

    static let shouldStop: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { context in
        unsafe own(context)?.isOver ?? true
    }
}
