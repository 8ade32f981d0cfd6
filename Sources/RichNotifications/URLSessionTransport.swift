#if canImport(UserNotifications) && canImport(Darwin)
    internal import AttachmentPrep
    internal import Foundation
    public import LinkFetch

    /// Fetches by URLSession, in libcurl's place: App Transport Security, proxies and VPN are the system's, and so is
    /// the choice of addresses, for which `FetchOptions.allowedAddresses` does not count.
    ///
    /// Not built or run by this package's own tests, which know no Apple system.
    public final class URLSessionTransport: LinkTransport {
        private static let longestSilence = Duration.seconds(10)

        /// Creates a transport.
        public init() {}

        /// Performs a request on the calling thread, while the session's queue receives it.
        public func get(_ request: LinkRequest, _ exchange: LinkExchange) -> LinkEnd {
            guard let url = URL(string: request.url) else { return .badURL }
            var asked = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
            for header in request.headers {
                let parts = header.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { continue }
                asked.setValue(
                    parts[1].trimmingCharacters(in: .whitespaces), forHTTPHeaderField: String(parts[0]))
            }
            let receiver = Receiver()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpShouldSetCookies = false
            let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
            defer { session.invalidateAndCancel() }
            let task = session.dataTask(with: asked)
            task.resume()
            var lastPiece = ContinuousClock.now
            while true {
                let wait = request.deadline.map { min(.seconds(1), $0 - .now) } ?? .seconds(1)
                guard wait > .zero else { return .late }
                let pieces = receiver.take(within: wait, task)
                if !pieces.isEmpty { lastPiece = .now }
                // Another try may end better than waiting on.
                if .now - lastPiece > Self.longestSilence { return .late }
                for piece in pieces {
                    switch piece {
                    case .head(let response):
                        guard Self.pass(response, to: exchange) else { return .stopped }
                    case .body(let data):
                        guard exchange.take(body: Array(data).span) else { return .stopped }
                    case .end(let error): return error.map(Self.end) ?? .done
                    }
                }
                if exchange.isOver { return .stopped }
            }
        }

        private static func pass(_ response: HTTPURLResponse, to exchange: LinkExchange) -> Bool {
            var isWanted = exchange.take(headerLine: "HTTP/1.1 \(response.statusCode)")
            for (name, value) in response.allHeaderFields {
                // The session has undone it, so length and encoding are no longer those of what comes.
                let isUndone = response.value(forHTTPHeaderField: "Content-Encoding") != nil
                let text = "\(name)".lowercased()
                if isUndone, text == "content-encoding" || text == "content-length" { continue }
                isWanted = exchange.take(headerLine: "\(name): \(value)") && isWanted
            }
            return exchange.take(headerLine: "") && isWanted
        }

        private static func end(_ error: any Error) -> LinkEnd {
            switch (error as? URLError)?.code {
            case .badURL, .unsupportedURL: .badURL
            case .cannotFindHost, .dnsLookupFailed: .unknownHost
            case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed: .noConnection
            case .timedOut: .late
            case .networkConnectionLost: .broken
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot,
                .appTransportSecurityRequiresSecureConnection:
                .insecure
            default: .failed
            }
        }

        private enum Piece: Sendable {
            case head(HTTPURLResponse)
            case body(Data)
            case end((any Error)?)
        }

        /// Puts what the session's queue receives in line for the thread that works on it.
        private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
            private struct Line {
                var pieces: [Piece] = []
                /// Suspensions are counted, so there is one at a time.
                var isSuspended = false
            }

            private let line = Monitor(Line())
            private let arrived = DispatchSemaphore(value: 0)

            /// Takes what is there, and lets more come.
            func take(within duration: Duration, _ task: URLSessionTask) -> [Piece] {
                let milliseconds = Int(duration / .milliseconds(1))
                _ = arrived.wait(timeout: .now() + .milliseconds(max(1, milliseconds)))
                return line.update { line in
                    if line.isSuspended { task.resume() }
                    defer { line = Line() }
                    return line.pieces
                }
            }

            private func put(_ piece: Piece, _ task: URLSessionTask) {
                line.update { line in
                    line.pieces.append(piece)
                    // A few pieces in line are enough: what is not taken off the wire takes no memory.
                    guard line.pieces.count > 8, !line.isSuspended else { return }
                    line.isSuspended = true
                    task.suspend()
                }
                arrived.signal()
            }

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                if let response = response as? HTTPURLResponse { put(.head(response), dataTask) }
                completionHandler(.allow)
            }

            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                put(.body(data), dataTask)
            }

            func urlSession(
                _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
            ) {
                put(.end(error), task)
            }

            /// Redirects are the caller's: each is checked anew.
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
                completionHandler: @escaping (URLRequest?) -> Void
            ) {
                completionHandler(nil)
            }
        }
    }
#endif
