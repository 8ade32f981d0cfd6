import AttachmentPrep
import Testing

/// What a job will need is known from its header, and several jobs share what there is.
@Suite struct AdmissionTests {
    private func need(_ record: PreparationRecord) -> Int { record.memory?.need ?? -1 }

    @Test func knownFromTheHeader() throws {
        for bytes in [Generated.baseline, Generated.progressive, Generated.png, Generated.interlaced] {
            let whole = prepare(bytes, profile: .small)
            #expect(need(whole.record) > 0)
            let isPNG = bytes[0] == 0x89
            let head = Array(bytes[..<(isPNG ? 41 : JPEGParts.firstScanData(bytes))])
            for size in [1, 7, 1000] {
                let run = prepare(head, profile: .small, .pieces(size))
                #expect(run.code == .truncated)
                #expect(run.record.memory == whole.record.memory)
            }
            for arrival: Arrival in [.file, .pipe] {
                #expect(prepare(bytes, profile: .small, arrival).record.memory == whole.record.memory)
            }
        }
    }

    @Test func largerPicturesNeedMore() {
        let small = need(prepare(Generated.baseline, profile: .small).record)
        let large = need(prepare(Photos.budgetSources[0].jpeg(), profile: .apns).record)
        #expect(large > small)
        let two = AttachmentPreparer([.small, .thumb]) { _ in }.run(Generated.baseline)
        #expect(need(two.record) > small)
    }

    /// The sum of the needs of jobs between header and end never exceeds the total.
    @Test func sumStaysWithinTheTotal() throws {
        let inputs = [Generated.baseline, Generated.png, Photos.budgetSources[0].jpeg()]
        let needs = inputs.map { need(prepare($0, profile: .small).record) }
        let largest = try #require(needs.max())
        let budget = MemoryBudget(total: largest + (needs.min() ?? 0))
        // Taken after the grant and given back before it ends, so that it can only be too low.
        let used = Monitor((now: 0, most: 0))
        let outcomes = Monitor<[Outcome]>([])
        onThreads(8) { thread in
            let scratch = Scratch()
            for round in 0..<3 {
                let index = (thread + round) % inputs.count
                let bytes = inputs[index]
                var session = AttachmentPreparer([.small]) { _ in }
                    .begin(into: .file(scratch.file("\(round).jpg")), admission: budget)
                try? session.push(Array(bytes[..<(bytes.count / 2)]))
                used.update {
                    $0.now += needs[index]
                    $0.most = max($0.most, $0.now)
                }
                pause(milliseconds: 5)
                try? session.push(Array(bytes[(bytes.count / 2)...]))
                used.update { $0.now -= needs[index] }
                let outcome = session.record().outcome
                outcomes.update { $0.append(outcome) }
            }
        }
        let most = used.update { $0.most }
        #expect(most <= budget.total && most > 0, "\(most)")
        #expect(outcomes.update { $0 } == [Outcome](repeating: .prepared, count: 24))
    }

    /// The whole budget comes back however a job ends: 20 jobs in a row that each need all of it.
    @Test func givenBack() throws {
        let need = need(prepare(Generated.baseline, profile: .small).record)
        let budget = MemoryBudget(total: need)
        let broken = Array(Generated.baseline[..<2000])
        for round in 0..<20 {
            let scratch = Scratch()
            let cancellation = Cancellation()
            var session = AttachmentPreparer([.small]) { $0.limits.timeout = .seconds(60) }
                .begin(into: .file(scratch.file("a.jpg")), cancellation: cancellation, admission: budget)
            switch round % 4 {
            case 0:
                try session.push(Generated.baseline)
                #expect(session.record().outcome == .prepared)
            case 1:
                try session.push(broken)
                #expect(session.record().error?.code == .truncated)
            case 2:
                try session.push(broken)
                cancellation.cancel()
                #expect(session.record().error?.code == .cancelled)
            default:
                // Given up without an end.
                try session.push(broken)
                continue
            }
        }
    }

    /// A session that has failed holds nothing, even while its owner still holds it.
    @Test func failedSessionHoldsNothing() throws {
        let need = need(prepare(Generated.png, profile: .small).record)
        let budget = MemoryBudget(total: need)
        var bytes = Generated.png
        for index in (bytes.count / 2)..<(bytes.count / 2 + 50) { bytes[index] ^= 0xFF }
        let scratch = Scratch()
        var session = AttachmentPreparer([.small]) { _ in }
            .begin(into: .file(scratch.file("a.jpg")), admission: budget)
        try? session.push(bytes)
        let cancellation = Cancellation()
        let outcome = Monitor<Outcome?>(nil)
        let second = TestThread {
            let record = AttachmentPreparer([.small]) { _ in }.record(
                of: .bytes(Generated.png, name: "b"), into: .file(scratch.file("b.jpg")),
                cancellation: cancellation, admission: budget)
            outcome.update { $0 = record.outcome }
        }
        for _ in 0..<600 where outcome.update({ $0 }) == nil { pause(milliseconds: 50) }
        cancellation.cancel()
        second.join()
        #expect(outcome.update { $0 } == .prepared)
        #expect(session.record().error?.code == .corrupt)
    }

    /// A job waits until another gives back; waiting does not count against its time, and can be cancelled.
    @Test(arguments: [false, true]) func waits(isCancelled: Bool) throws {
        let need = need(prepare(Generated.baseline, profile: .small).record)
        let budget = MemoryBudget(total: need)
        let scratch = Scratch()
        let cancellation = Cancellation()
        let record = Monitor<PreparationRecord?>(nil)
        var first = AttachmentPreparer([.small]) { _ in }
            .begin(into: .file(scratch.file("first.jpg")), admission: budget)
        try first.push(Array(Generated.baseline[..<3000]))
        let other = TestThread {
            let result = AttachmentPreparer([.small]) { _ in }.record(
                of: .bytes(Generated.baseline, name: "b"), into: .file(scratch.file("second.jpg")),
                cancellation: cancellation, admission: budget)
            record.update { $0 = result }
        }
        pause(milliseconds: 300)
        #expect(record.update { $0 } == nil && scratch.names.isEmpty)
        if isCancelled {
            cancellation.cancel()
            other.join()
            #expect(record.update { $0?.error?.code } == .cancelled)
        }
        try first.push(Array(Generated.baseline[3000...]))
        #expect(first.record().outcome == .prepared)
        if !isCancelled {
            other.join()
            #expect(record.update { $0?.outcome } == .prepared)
        }
    }
}
