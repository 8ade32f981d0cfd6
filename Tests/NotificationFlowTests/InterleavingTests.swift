import AttachmentPrep
import Foundation
import LinkFetch
import TestSupport
import Testing

@testable import NotificationFlow

/// Everything that can end a notification, at random moments, from several threads: each is delivered once.
///
/// Under the thread sanitizer this also shows that no state is shared without a lock.
@Suite struct InterleavingTests {
    /// Waits a random time and then answers or fails, so that steps end in any order.
    private struct Dawdling: NotificationDetails {
        let microseconds: UInt32
        let fails: Bool

        func details(
            for payload: NotificationPayload, _ limits: FlowLimits
        ) throws(PrepError) -> JSONValue? {
            usleep(microseconds)
            if fails { throw PrepError(.network, .input, "as the test wants it") }
            return .object(["title": .string("Completed")])
        }
    }

    private struct Sealed: PayloadSeal {
        let microseconds: UInt32
        let fails: Bool

        func opened(_ payload: NotificationPayload) throws(PrepError) -> JSONValue? {
            usleep(microseconds)
            if fails { throw PrepError(.invalidPayload, .input, "as the test wants it") }
            return .object(["body": .string("Opened")])
        }
    }

    /// How one notification goes, drawn by lot.
    private struct Plan {
        let steps: (seal: UInt32, details: UInt32, enders: [UInt32])
        let sealFails, detailsFail: Bool
        let link: String
        let deadline: Duration

        init(_ random: inout SeededGenerator) {
            func time(_ random: inout SeededGenerator) -> UInt32 {
                UInt32.random(in: 0...400, using: &random)
            }
            steps = (
                time(&random), time(&random),
                (0..<Int.random(in: 0...3, using: &random)).map { _ in time(&random) * 3 }
            )
            sealFails = Int.random(in: 0..<8, using: &random) == 0
            detailsFail = Int.random(in: 0..<4, using: &random) == 0
            link = ["known", "missing", "silent", "none"].randomElement(using: &random) ?? "none"
            // A silent server is ended by the deadline, if nobody ends it before.
            deadline = .microseconds(Int.random(in: 0...8_000, using: &random))
        }
    }

    private static let count = 10_000

    @Test func everyNotificationIsDeliveredOnce() throws {
        let phone = try Phone()
        let known = "https://a.example/known"
        phone.network.set(known, .body(Phone.photo, headers: ["Cache-Control: max-age=100000"]))
        phone.network.set("https://a.example/silent", .silence)
        let base = phone.flow()
        // In the cache from now on, so that most of what follows waits for nothing but each other.
        let first = Deliveries()
        base.begin(
            try Phone.payload(#","image_url":"\#(known)""#), deadline: .seconds(60), deliver: first.take)
        let media = try #require(first.first()?.attachment)
        try FileManager.default.removeItem(atPath: media.path.display)

        let plans = Monitor(SeededGenerator(seed: 11))
        let started = Monitor(0)
        let tally = Monitor<[String: Int]>([:])
        let everything = Monitor<[Deliveries]>([])
        let wrong = Monitor<[Int]>([])
        // Four at a time in one process, as overlapping pushes are.
        let workers = (0..<4).compactMap { _ in
            SystemThread {
                while true {
                    let number = started.update { count in
                        count += 1
                        return count
                    }
                    if number > Self.count { return }
                    let plan = plans.update { Plan(&$0) }
                    guard let (deliveries, word) = Self.run(plan, base) else {
                        wrong.update { $0.append(number) }
                        continue
                    }
                    everything.update { $0.append(deliveries) }
                    tally.update { $0[word, default: 0] += 1 }
                }
            }
        }
        #expect(workers.count == 4)
        workers.forEach { $0.join() }
        #expect(wrong.update { $0 }.isEmpty)
        // Each way of ending was met, or the lots are drawn badly.
        let ways = tally.update { $0 }
        #expect(ways.values.reduce(0, +) == Self.count)
        for way in ["finished", "expired", "cancelled"] { #expect(ways[way, default: 0] > 100, "\(ways)") }
        // What was handed out for nobody is gone.
        let end = ContinuousClock.now + .seconds(20)
        while !phone.handedOut.isEmpty, ContinuousClock.now < end { usleep(10_000) }
        #expect(phone.handedOut.isEmpty)
        // Now that all work is done, nothing was delivered a second time.
        #expect(everything.update { $0.allSatisfy { $0.count == 1 } })
    }

    /// Runs one and answers what was delivered, and why the first time; nil if nothing was.
    private static func run(_ plan: Plan, _ base: NotificationFlow) -> (Deliveries, String)? {
        var flow = base
        flow.seal = Sealed(microseconds: plan.steps.seal, fails: plan.sealFails)
        flow.details = [Dawdling(microseconds: plan.steps.details, fails: plan.detailsFail)]
        let link = plan.link == "none" ? "" : #","image_url":"https://a.example/\#(plan.link)""#
        guard let payload = try? Phone.payload(link) else { return nil }
        let deliveries = Deliveries()
        let run = flow.begin(payload, deadline: plan.deadline) { delivery in
            // The taker's file, which the system would move away.
            if let media = delivery.attachment {
                try? FileManager.default.removeItem(atPath: media.path.display)
            }
            deliveries.take(delivery)
        }
        let enders = plan.steps.enders.enumerated().compactMap { index, microseconds in
            SystemThread {
                usleep(microseconds)
                if index % 2 == 0 { run.expire() } else { run.cancel() }
            }
        }
        enders.forEach { $0.join() }
        guard let first = deliveries.first() else { return nil }
        run.expire()
        run.cancel()
        return (deliveries, first.reason.rawValue)
    }
}
