package import AttachmentPrep
internal import NotificationFlow
internal import PayloadTools

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What a simulated phone is like.
package struct SimulationSettings: Sendable {
    package var network = SimulatedNetwork()
    /// Whether links lead to the real network instead.
    package var isOnline = false
    /// What every link leads to; nil for nothing.
    package var media: FilePath?
    /// Bytes written to and resident at which the extension is ended.
    package var memory = 24_000_000
    /// Seconds an extension has for a push.
    package var seconds = 30.0
    /// How much faster than a real one the clock goes.
    package var clock = 1.0
    /// Seconds between two pushes.
    package var interval = 1.0
    package var condition = "unrestricted"
    /// Key of sealed payloads, in hexadecimal digits.
    package var key: String?
    /// Where details are asked for, with `{id}` in it.
    package var details: String?
    /// What is answered there; nil for a 404.
    package var detailsAnswer: [UInt8]?
    /// Words in the user's language.
    package var strings: [String: String]?
    /// Folder of the app's own files.
    package var bundle: String?
    /// Folder of the extension's cache, which outlives it.
    package var folder: FilePath
    /// Folder for what it hands to the system.
    package var handOut: FilePath
    /// Arguments of the extension's process.
    package var arguments: [FilePath] = []

    package init(folder: FilePath) {
        self.folder = folder
        handOut = folder.appending("handed-out")
    }

    var plan: ExtensionPlan {
        // The flow delivers a little before the system says that time is up.
        let deadline = max(seconds * 0.5, seconds - 2)
        return ExtensionPlan(
            cache: folder.appending("cache").display, handOut: handOut.display,
            deadline: deadline / clock, retryPause: 1 / clock, detailsTime: 8 / clock, memory: memory,
            condition: condition,
            key: key, details: details, strings: strings, bundle: bundle, isOffline: !isOnline)
    }
}

/// Plays iOS, the network and the server for pushes, one after the other or overlapping, and says what the user sees.
package final class Simulation: Sendable {
    fileprivate struct Push: Sendable {
        var outcome: SimulatedOutcome
        var payload: String?
        var came: ContinuousClock.Instant?
        /// Which of the processes that were started has it.
        var process = 0
        var isSettled = false
        /// Whether the extension was told that its time is up.
        var isExpired = false
    }

    private let settings: SimulationSettings
    private let pushes: Monitor<[Push]>

    /// The name by which the extension's process is started.
    package static let extensionName = ExtensionProcess.name

    /// A JSON object of texts; nil for anything else.
    package static func strings(in json: [UInt8]) -> [String: String]? {
        JSONValue(json: json)?.object?.compactMapValues(\.string)
    }

    /// - Parameter inputs: payloads and their names.
    package init(_ settings: SimulationSettings, _ inputs: [(name: String, payload: [UInt8])]) {
        self.settings = settings
        pushes = Monitor(inputs.map { Push($0.name, $0.payload) })
    }

    /// Runs it; `isStopped` is asked a few times a second, and what has not ended by then has no outcome.
    package func run(unless isStopped: () -> Bool = { false }) throws(PrepError) -> [SimulatedOutcome] {
        let server = SimulatedServer(
            settings.network, media: settings.media, details: settings.detailsEntry, clock: settings.clock
        ) { address in self.note(nil, "requested", address) }
        var process: ExtensionProcess?
        var started = 0
        defer { process?.end() }
        for number in 0..<pushes.update({ $0.count }) where !isStopped() {
            guard let payload = pushes.update({ $0[number].payload }) else { continue }
            if process?.endReason != nil || process == nil {
                started += 1
                process = try start(server, started)
            }
            pushes.update { pushes in
                pushes[number].came = .now
                pushes[number].process = started
            }
            if process?.push(number, payload) != true {
                // It went a moment ago, and was buried before this push was its.
                pushes.update { $0[number].settle(.original, "the extension's process was gone") }
            }
            if number + 1 < pushes.update({ $0.count }) { wait(settings.interval, process, isStopped) }
        }
        while !isStopped(), pushes.update({ !$0.allSatisfy(\.isSettled) }) { step(process) }
        // A second answer would come now.
        if !isStopped() { usleep(20_000) }
        let peak = process?.peak
        return pushes.update { pushes in
            // Of an interrupted run, those that came to an end.
            pushes.filter(\.isSettled).map { push in
                var outcome = push.outcome
                // Earlier processes' were noted when they ended.
                if push.process == started, let peak { outcome.peak = max(outcome.peak ?? 0, peak) }
                return outcome
            }
        }
    }

    private func start(_ server: SimulatedServer, _ ordinal: Int) throws(PrepError) -> ExtensionProcess {
        let holder = Monitor<ExtensionProcess?>(nil)
        let process = try ExtensionProcess(
            settings.plan, arguments: settings.arguments, limit: settings.memory, server: server
        ) { message in
            let process = holder.wait { $0 }
            if let message { self.take(message, process) } else { self.bury(process, ordinal) }
        }
        holder.update { $0 = process }
        return process
    }

    /// Waits simulated seconds, with an eye on the pushes on their way.
    private func wait(_ seconds: Double, _ process: ExtensionProcess?, _ isStopped: () -> Bool) {
        let end = ContinuousClock.now + .seconds(seconds / settings.clock)
        while ContinuousClock.now < end, !isStopped() {
            let left = Int((end - .now) / .milliseconds(1))
            usleep(UInt32(max(1, min(left, 10)) * 1000))
            checkTimes(process)
        }
    }

    private func step(_ process: ExtensionProcess?) {
        _ = pushes.wait(milliseconds: 10) { $0.allSatisfy(\.isSettled) ? true : nil }
        checkTimes(process)
    }

    /// Says that time is up, and a moment later that it is over.
    private func checkTimes(_ process: ExtensionProcess?) {
        let limit = settings.seconds / settings.clock
        // Long enough for a busy machine to hear of it.
        let grace = max(1 / settings.clock, 10)
        var isExpired = false
        pushes.update { pushes in
            for index in pushes.indices {
                guard let came = pushes[index].came, !pushes[index].isSettled else { continue }
                let passed = (ContinuousClock.now - came) / .seconds(1)
                if passed > limit, !pushes[index].isExpired {
                    pushes[index].isExpired = true
                    isExpired = true
                }
                if passed > limit + grace {
                    pushes[index].settle(
                        .original, "the extension did not answer in \(Int(settings.seconds)) s")
                }
            }
        }
        if isExpired { process?.expire() }
    }

    // MARK: - What the process says

    private func take(_ message: FromExtension, _ process: ExtensionProcess) {
        if let step = message.step { note(message.push, step, message.detail) }
        guard let delivery = message.delivery else { return }
        let peak = process.peak
        // What it said before it was ended for its memory came too late.
        let isKilled = process.isOverLimit() != nil || process.endReason != nil
        pushes.update { pushes in
            guard pushes.indices.contains(message.push) else { return }
            pushes[message.push].outcome.deliveries += 1
            guard !pushes[message.push].isSettled, !isKilled else { return }
            pushes[message.push].outcome.delivery = delivery
            pushes[message.push].outcome.peak = peak
            let (verdict, why) = SystemCheck.verdict(on: delivery)
            let problems = delivery.problems.map { "\($0.code): \($0.message)" }
            let all = problems + (why.map { [$0] } ?? [])
            pushes[message.push].settle(verdict, all.isEmpty ? nil : all.joined(separator: "; "))
        }
    }

    /// The process is gone, and with it what it had not answered.
    private func bury(_ process: ExtensionProcess, _ ordinal: Int) {
        let why: String
        switch process.endReason {
        case .memory(let bytes):
            why = "the extension took \(bytes) bytes of memory and was ended at \(settings.memory)"
        case .died(let words): why = "the extension's process died: \(words)"
        case nil: why = "the extension's process is gone"
        }
        pushes.update { pushes in
            for index in pushes.indices where pushes[index].process == ordinal && !pushes[index].isSettled {
                pushes[index].settle(.original, why)
            }
        }
    }

    /// Adds a line to a push's timeline; without a number, to that of all on their way.
    private func note(_ number: Int?, _ step: String, _ detail: String?) {
        let clock = settings.clock
        pushes.update { pushes in
            for index in pushes.indices where number.map({ $0 == index }) ?? !pushes[index].isSettled {
                guard let came = pushes[index].came else { continue }
                let seconds = (ContinuousClock.now - came) / .seconds(1) * clock
                pushes[index].outcome.timeline.append(
                    TimelineEntry(seconds: seconds, step: step, detail: detail))
            }
        }
    }
}

extension Simulation.Push {
    /// A push as APNs and iOS let it through.
    fileprivate init(_ name: String, _ bytes: [UInt8]) {
        outcome = SimulatedOutcome(input: name)
        do throws(JSONFault) { _ = try JSONDocument(bytes) } catch {
            // Stricter than the reader the flow has, which takes trailing commas.
            settle(.nothing, "APNs refuses it: " + error.error(in: bytes).message)
            return
        }
        do throws(PrepError) {
            let payload = try NotificationPayload(json: bytes)
            let sent = payload.asSentToAPNs
            // APNs takes UTF-8 only; what FCM writes is known about to the byte.
            let own = sent == payload ? String(validating: bytes, as: UTF8.self) : sent.root.json
            guard let text = own else {
                settle(.nothing, "APNs refuses it: it is not in UTF-8")
                return
            }
            let alert = NotificationText(of: sent)
            var delivery = SimulatedDelivery()
            (delivery.title, delivery.subtitle, delivery.body) = (alert.title, alert.subtitle, alert.body)
            outcome.delivery = delivery
            switch PushFate(of: sent, bytes: PushFate.size(of: Array(text.utf8))) {
            case .refused(let why): settle(.nothing, "APNs refuses it: " + why)
            case .silent(let why): settle(.nothing, why)
            case .withoutExtension(let why): settle(.original, why)
            case .runs: self.payload = text
            }
        } catch {
            settle(.nothing, "\(error.code.rawValue): \(error.message)")
        }
    }

    fileprivate mutating func settle(_ verdict: Verdict, _ why: String?) {
        isSettled = true
        outcome.verdict = verdict
        outcome.why = why
    }
}

extension SimulationSettings {
    /// Where the details' server is, before and behind the id, and what it answers.
    fileprivate var detailsEntry: (prefix: String, suffix: String, bytes: [UInt8]?)? {
        guard let details else { return nil }
        let parts = details.split(separator: "{id}", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "", detailsAnswer)
    }
}
