import AttachmentPrep
import Foundation
import Glibc
import Synchronization
import Testing

@testable import MediaCache

/// Who is where, counted by all threads.
private final class Counter: Sendable {
    private let inside = Atomic<Int>(0)
    private let most = Atomic<Int>(0)
    private let entries = Atomic<Int>(0)

    func enter() {
        let now = inside.add(1, ordering: .sequentiallyConsistent).newValue
        most.max(now, ordering: .relaxed)
        entries.add(1, ordering: .relaxed)
    }

    func leave() { inside.subtract(1, ordering: .sequentiallyConsistent) }

    var mostAtOnce: Int { most.load(ordering: .relaxed) }
    var all: Int { entries.load(ordering: .relaxed) }
}

@Suite struct CacheLockTests {
    @Test func oneAtATime() async throws {
        let place = try Place()
        let path = place.path.appending("locks/ab/key")
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        guard let lock = CacheLock(path, isOver: { false }) else { continue }
                        counter.enter()
                        usleep(500)
                        counter.leave()
                        withExtendedLifetime(lock) {}
                    }
                }
            }
        }
        #expect(counter.mostAtOnce == 1)
        #expect(counter.all == 200)
        // Nothing remains of a lock that nobody holds.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.path.appending("locks/ab").display)
                .isEmpty)
    }

    @Test func waitingEndsWhenItIsTold() throws {
        let place = try Place()
        let path = place.path.appending("locks/ab/key")
        let held = CacheLock(path, isOver: { false })
        let isHeld = held != nil
        #expect(isHeld)
        var asked = 0
        let second = CacheLock(path) {
            asked += 1
            return asked == 3
        }
        let isTaken = second != nil
        #expect(!isTaken)
        #expect(asked == 3)
        withExtendedLifetime(held) {}
    }

    @Test func aLockThatSomethingLeftIsFree() throws {
        let place = try Place()
        let path = try place.file("key", [])
        let lock = CacheLock(path, isOver: { true })
        let isHeld = lock != nil
        #expect(isHeld)
        withExtendedLifetime(lock) {}
    }
}
