import Synchronization
import Testing

@testable import attachprep

@Suite struct WorkerPoolTests {
    @Test(arguments: [1, 2, 5]) func resultsComeInOrder(_ threads: Int) {
        var results: [Int] = []
        WorkerPool(threads: threads).run(
            count: 200, isStopped: { false }, work: { item in item * item },
            idle: {},
            deliver: {
                results.append($0); return true
            })
        #expect(results == (0..<200).map { $0 * $0 })
    }

    @Test func nothingRunsFarAhead() {
        let pool = WorkerPool(threads: 3)
        let delivered = Atomic<Int>(0)
        let farthest = Atomic<Int>(0)
        pool.run(
            count: 100, isStopped: { false },
            work: { item in
                farthest.max(item - delivered.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
                // The first one is slow: everybody else runs into the bound.
                if item == 0 { for _ in 0..<3_000_000 { _ = delivered.load(ordering: .relaxed) } }
                return item
            },
            idle: {},
            deliver: { _ in
                delivered.add(1, ordering: .sequentiallyConsistent)
                return true
            })
        // An item may be started between the hand-over and our count of it.
        #expect(farthest.load(ordering: .relaxed) <= pool.ahead)
        #expect(delivered.load(ordering: .relaxed) == 100)
    }

    @Test func whatIsStartedIsDeliveredAfterAStop() {
        let stop = Atomic<Bool>(false)
        let started = Atomic<Int>(0)
        var delivered = 0
        WorkerPool(threads: 2).run(
            count: 1000, isStopped: { stop.load(ordering: .relaxed) },
            work: { item in
                started.add(1, ordering: .relaxed)
                if item == 10 { stop.store(true, ordering: .relaxed) }
                return item
            },
            idle: {},
            deliver: { _ in
                delivered += 1; return true
            })
        #expect(delivered == started.load(ordering: .relaxed))
        #expect((11...20).contains(delivered))
    }

    @Test func aRefusedResultStopsTheRest() {
        var delivered = 0
        WorkerPool(threads: 1).run(
            count: 1000, isStopped: { false }, work: { $0 }, idle: {},
            deliver: { _ in
                delivered += 1; return delivered < 5
            })
        #expect((5...10).contains(delivered))
    }

    @Test func nothingToDo() {
        WorkerPool(threads: 4).run(
            count: 0, isStopped: { false }, work: { $0 }, idle: {},
            deliver: { _ in
                Issue.record("a result"); return true
            })
    }
}

@Suite struct ProgressBarTests {
    @Test(arguments: [1, 10, 20, 40, 80, 300]) func theBarFitsItsLine(_ width: Int) {
        for done in [0, 1, 500, 1000] {
            let text = ProgressBar.text(done: done, total: 1000, seconds: 10, width: width)
            #expect(text.utf8.count < max(width, 1))
        }
    }

    @Test func theBarSaysCountRateAndTimeLeft() {
        let text = ProgressBar.text(done: 250, total: 1000, seconds: 10, width: 80)
        #expect(text.hasSuffix("250/1000  25.0/s  0:30 left"))
        #expect(text.filter { $0 == "#" }.count == 10)
        #expect(text.filter { $0 == "." }.count == 31)
        #expect(ProgressBar.text(done: 1, total: 7202, seconds: 1, width: 80).hasSuffix("2:00:01 left"))
    }
}
