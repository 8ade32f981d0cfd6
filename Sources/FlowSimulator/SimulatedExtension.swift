internal import AttachmentPrep
internal import CService
package import LinkFetch
internal import MediaCache
internal import MediaTypes
internal import NotificationFlow

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The process of a simulated extension: takes pushes as the system hands them over, until the system is gone.
package enum SimulatedExtension {
    /// Messages of the system.
    private static let socket: Int32 = 0
    /// Where connections are asked for.
    private static let network: Int32 = 3

    /// The exit status.
    ///
    /// - Parameter fetch: how the real network is asked.
    package static func run(fetch: FetchOptions) -> Int32 {
        // The system ends it.
        _ = signal(SIGINT, SIG_IGN)
        _ = signal(SIGTERM, SIG_IGN)
        // Jobs work on threads of their own, whose arenas would keep what they freed.
        ap_one_arena()
        let stream = MessageStream(descriptor: socket)
        guard let plan = stream.receive(ToExtension.self)?.plan, let flow = flow(plan, fetch) else {
            return 1
        }
        let sender = Monitor(stream)
        let runs = Monitor<[NotificationRun]>([])
        while let message = stream.receive(ToExtension.self) {
            if message.expires == true {
                for run in runs.update({ $0 }) { run.expire() }
            }
            guard let number = message.push, let text = message.payload,
                let payload = try? NotificationPayload(json: Array(text.utf8))
            else { continue }
            let run = flow.begin(
                payload, deadline: .seconds(plan.deadline),
                observe: { event in
                    let (step, detail) = event.words
                    let message = FromExtension(push: number, step: step, detail: detail)
                    sender.update { _ = $0.send(message) }
                },
                deliver: { delivery in
                    let message = FromExtension(push: number, delivery: SimulatedDelivery(delivery))
                    sender.update { _ = $0.send(message) }
                })
            runs.update { runs in
                runs.removeAll(where: \.isDelivered)
                runs.append(run)
            }
        }
        return 0
    }

    private static func flow(_ plan: ExtensionPlan, _ fetch: FetchOptions) -> NotificationFlow? {
        guard let cache = try? AttachmentCache(plan.cache, synchronizes: false) else { return nil }
        var flow = NotificationFlow(cache: cache, handOutFolder: FilePath(plan.handOut))
        flow.fetch = fetch
        if plan.isOffline { flow.fetch.transport = SimulatedTransport(network: network) }
        flow.retryPause = .seconds(plan.retryPause)
        let condition = NetworkCondition(rawValue: plan.condition) ?? .unrestricted
        flow.network = { condition }
        let limit = plan.memory
        flow.availableMemory = { ProcessMemory(of: getpid()).map { max(0, limit - $0.footprint) } }
        if let key = plan.key { flow.seal = SealedPayload(keys: OneKey(key)) }
        if let address = plan.details {
            var details = EventDetails(at: address, fetch: flow.fetch)
            (details.timeLimit, details.retryPause) = (.seconds(plan.detailsTime), .seconds(plan.retryPause))
            flow.details.append(details)
        }
        if let strings = plan.strings { flow.details.append(LocalizedDetails(Words(strings))) }
        if let bundle = plan.bundle {
            flow.bundledFile = { name in
                let path = FilePath(bundle).appending(name)
                return path.withCString { unsafe access($0, R_OK) } == 0 ? path : nil
            }
        }
        return flow
    }

    private struct OneKey: PayloadKeys {
        let bytes: [UInt8]

        init(_ text: String) {
            let digits = Array(text.utf8)
            bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            }
        }

        func key(named name: String?) -> [UInt8]? { bytes }
    }

    private struct Words: StringTable {
        let strings: [String: String]
        init(_ strings: [String: String]) { self.strings = strings }
        func format(for key: String) -> String? { strings[key] }
    }
}

extension SimulatedDelivery {
    init(_ delivery: Delivery) {
        reason = delivery.reason.rawValue
        title = delivery.text.title
        subtitle = delivery.text.subtitle
        body = delivery.text.body
        problems = delivery.problems.map { SimulatedError($0) }
        switch delivery.media {
        case .none: media = "none"
        case .heldBack: media = "held-back"
        case .late: media = "late"
        case .failed(let error):
            media = "failed"
            self.error = SimulatedError(error)
        case .attached(let file):
            media = "attached"
            attachment = SimulatedAttachment(
                path: file.path.display, typeHint: file.typeHint, format: file.format.rawValue,
                bytes: file.bytes, width: file.width, height: file.height, sizeRatio: file.sizeRatio,
                clippingRect: file.clippingRect.map { [$0.x, $0.y, $0.width, $0.height] })
        }
    }
}

extension FlowEvent {
    /// A step's name and what there is to say about it.
    fileprivate var words: (String, String?) {
        switch self {
        case .began: ("began", nil)
        case .opened: ("opened", "what was sealed")
        case .detailed: ("completed", "the text")
        case .failed(let error): ("failed", "\(error.code.rawValue): \(error.message)")
        case .located(.link(let link)): ("located", link)
        case .located(.file(let path)): ("located", "file \(path)")
        case .located(.bundled(let name)): ("located", "'\(name)' in the bundle")
        case .noMedia: ("no-media", "no known key names any")
        case .heldBack(let condition): ("held-back", "the network is \(condition.rawValue)")
        case .trying(let attempt): ("asking", attempt == 1 ? nil : "again, try \(attempt)")
        case .prepared(let record): ("prepared", Self.words(of: record))
        case .delivering(let reason): ("delivering", reason.rawValue)
        }
    }

    private static func words(of record: PreparationRecord) -> String {
        if let error = record.error { return "\(error.code.rawValue): \(error.message)" }
        guard let output = record.outputs.first, let bytes = output.bytes else { return "nothing" }
        let size = output.width.flatMap { width in output.height.map { ", \(width) x \($0)" } } ?? ""
        return "\(output.format?.rawValue ?? "?"), \(bytes) bytes\(size)"
    }
}
