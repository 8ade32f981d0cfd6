internal import CNet

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Transfers by libcurl, which is loaded when the first one begins.
enum Curl {
    #if Service && os(Linux)
        private static let connectSeconds = 5
        /// A server that stays under 1 KiB/s for so long will not be done before the push is shown.
        private static let lowSpeed = (bytes: 1024, seconds: 5)

        /// Nil where there is none.
        static var version: String? { unsafe ap_curl_version().map { unsafe String(cString: $0) } }

        /// Performs a request; also gives libcurl's own words.
        static func get(_ request: LinkRequest, _ hop: Hop, caFile: String?) -> (LinkEnd, String) {
            var result = ap_transfer_result()
            let headers = unsafe request.headers.map { unsafe UnsafePointer(strdup($0)) }
            defer { unsafe headers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
            let timeout = request.deadline.map { max(1, Int64(($0 - .now) / .milliseconds(1))) } ?? 0
            unsafe request.url.withCString { url in
                unsafe withOptionalCString(caFile) { caFile in
                    unsafe headers.withUnsafeBufferPointer { headers in
                        var request = unsafe ap_transfer_request(
                            url: url, headers: headers.baseAddress, header_count: headers.count,
                            ca_file: caFile, connect_timeout_ms: Int64(Self.connectSeconds * 1000),
                            timeout_ms: timeout, low_speed: Int64(Self.lowSpeed.bytes),
                            low_speed_seconds: Int64(Self.lowSpeed.seconds), post: nil, post_count: 0,
                            context: Unmanaged.passUnretained(hop).toOpaque(), may_connect: Hop.mayConnect,
                            header: Hop.takeHeader, body: Hop.takeBody, should_stop: Hop.shouldStop)
                        unsafe ap_transfer_run(&request, &result)
                    }
                }
            }
            return (LinkEnd(result.end), text(result.message))
        }

        /// Text of a C array that is a tuple to Swift.
        private static func text<Characters>(_ characters: Characters) -> String {
            unsafe withUnsafeBytes(of: characters) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }

        private static func withOptionalCString<R>(
            _ text: String?, _ body: (UnsafePointer<CChar>?) -> R
        ) -> R {
            guard let text else { return body(nil) }
            return unsafe text.withCString { unsafe body($0) }
        }
    #else
        static let version: String? = nil

        static func get(_ request: LinkRequest, _ hop: Hop, caFile: String?) -> (LinkEnd, String) {
            (.unavailable, "")
        }
    #endif
}

#if Service && os(Linux)
    extension LinkEnd {
        fileprivate init(_ end: ap_transfer_end) {
            self =
                switch end {
                case .done: .done
                case .stopped: .stopped
                case .badURL: .badURL
                case .noName: .unknownHost
                case .noConnection: .noConnection
                case .tls: .insecure
                case .timeout: .late
                case .broken: .broken
                case .failed: .failed
                case .noLibrary: .unavailable
                }
        }
    }
#endif
