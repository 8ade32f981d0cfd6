internal import AttachmentPrep
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What an extension's process is set up with.
struct ExtensionPlan: Codable, Sendable {
    /// Folder of the cache.
    var cache: String
    var handOut: String
    /// Seconds until the flow delivers by itself, as the process counts them.
    var deadline: Double
    var retryPause: Double
    /// Seconds the text may take.
    var detailsTime: Double
    /// Bytes at which the process is ended.
    var memory: Int
    var condition: String
    /// Key of sealed payloads, in hexadecimal digits.
    var key: String?
    /// Where details are asked for, with `{id}` in it.
    var details: String?
    /// Words in the user's language.
    var strings: [String: String]?
    /// Folder of the app's own files.
    var bundle: String?
    /// Whether links lead to the simulated network, not to the real one.
    var isOffline: Bool
}

/// To an extension: a plan first, then pushes; `expires` is what the system says when time is up.
struct ToExtension: Codable, Sendable {
    var plan: ExtensionPlan?
    var push: Int?
    var payload: String?
    var expires: Bool?
}

/// From an extension: a step of a push's way, or what it delivers.
struct FromExtension: Codable, Sendable {
    var push: Int
    var step: String?
    var detail: String?
    var delivery: SimulatedDelivery?
}

/// What an extension handed to the system.
package struct SimulatedDelivery: Codable, Hashable, Sendable {
    package var reason = ""
    package var title = ""
    package var subtitle = ""
    package var body = ""
    /// `none`, `attached`, `failed`, `held-back` or `late`.
    package var media = "none"
    package var attachment: SimulatedAttachment?
    /// Why there is no attachment.
    package var error: SimulatedError?
    package var problems: [SimulatedError] = []
}

package struct SimulatedAttachment: Codable, Hashable, Sendable {
    package var path: String
    package var typeHint: String
    package var format: String
    package var bytes: Int
    package var width: Int?
    package var height: Int?
    package var sizeRatio: Double?
    /// x, y, width and height of the banner's thumbnail, 0 to 1.
    package var clippingRect: [Double]?
}

package struct SimulatedError: Codable, Hashable, Sendable {
    package var code: String
    package var message: String

    init(_ error: PrepError) {
        code = error.code.rawValue
        message = error.message
    }
}

/// Messages over a stream between two processes: four bytes of length, low first, then JSON.
struct MessageStream {
    let descriptor: Int32
    private static let longest = 8 << 20

    /// Sends a message; false when the other end is gone.
    ///
    /// Not for two threads at a time.
    @discardableResult
    func send(_ message: some Encodable) -> Bool {
        guard let body = CacheJSON.encode(message) else { return false }
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) } + body
        return (try? writeAll(bytes.span, to: descriptor)) != nil
    }

    /// Waits for a message; nil when the other end is gone.
    func receive<Message: Decodable>(_ type: Message.Type) -> Message? {
        guard let head = read(4) else { return nil }
        let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= Self.longest, let body = read(count) else { return nil }
        return CacheJSON.decode(type, body)
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = try? retrying {
                unsafe bytes.withUnsafeMutableBytes {
                    unsafe recv(descriptor, $0.baseAddress?.advanced(by: done), count - done, 0)
                }
            }
            guard let more, more > 0 else { return nil }
            done += more
        }
        return bytes
    }
}
