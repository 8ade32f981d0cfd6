package import AttachmentPrep
internal import MediaCache

/// The service that media servers call on every upload, and that clients get attachments from.
package final class UploadService: Sendable {
    let settings: ServiceSettings
    package let decoders: DecoderPool
    let gate: Gatekeeper
    let lazyLinks: LazyLinks
    let metrics = ServiceMetrics()
    private let state = Monitor(State())

    private struct State: Sendable {
        var server: HTTPServer?
        var isDraining = false
    }

    package init(_ settings: ServiceSettings, decoders: DecoderPool) {
        self.settings = settings
        self.decoders = decoders
        gate = Gatekeeper(settings)
        lazyLinks = LazyLinks(settings, decoders)
    }

    /// Begins to serve a listening socket.
    package func start(_ socket: Int32) throws(PrepError) {
        let server = HTTPServer { connection in ServiceRequest(self, connection) }
        var limits = HTTPServer.Limits(
            connections: settings.connections, connectionsPerAddress: settings.connectionsPerAddress)
        // In line, and at work, each with its grace.
        if let timeout = decoders.settings.timeout {
            limits.idleSeconds = 2 * Int(clamping: timeout.components.seconds) + 30
        }
        try server.start(socket, limits)
        state.update { $0.server = server }
    }

    /// Takes nothing new, lets what is begun end, and ends.
    ///
    /// - Parameters:
    ///   - seconds: after so many, what is left is cut.
    ///   - isUrgent: asked meanwhile; true cuts at once.
    package func stop(within seconds: Double = 20, isUrgent: () -> Bool) {
        let server = state.update { state -> HTTPServer? in
            state.isDraining = true
            return state.server
        }
        server?.quiesce()
        let end = ContinuousClock.now + .seconds(seconds)
        while metrics.inFlight > 0, ContinuousClock.now < end, !isUrgent() {
            _ = state.wait(milliseconds: 50) { _ -> Bool? in nil }
        }
        decoders.close()
        server?.stop()
        state.update { $0.server = nil }
    }

    var isDraining: Bool { state.update { $0.isDraining } }

    func log(_ line: AccessLine) {
        guard let log = settings.log, let bytes = CacheJSON.encode(line) else { return }
        log(bytes + [0x0A])
    }

    /// Why requests had better go elsewhere; nil when they need not.
    var trouble: String? {
        if isDraining { return "about to end" }
        if decoders.isFull { return "busy" }
        return settings.trouble?()
    }

    var metricsText: String {
        let watch = state.update { $0.server?.watch }
        return metrics.text(decoders.figures, connections: watch?.count ?? 0, cut: watch?.cut ?? 0)
            + (settings.moreMetrics?() ?? "")
    }
}
