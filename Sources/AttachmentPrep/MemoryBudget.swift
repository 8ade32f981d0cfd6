internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Memory that the jobs of one process share: the sum of their computed needs never exceeds `total`.
public final class MemoryBudget: Sendable {
    /// Bytes all jobs together may need.
    public let total: Int
    private let used = Atomic<Int>(0)
    /// Bytes the process could still take when nobody held any of this; what it says then counts until all is back.
    private let room = Atomic<Int>(.max)
    /// Who is asked before memory is taken, where the budget is another process's.
    private let arbiter: Arbiter?

    /// Waits for leave to take so much in place of all that was taken before; false when `stop` said so.
    package typealias Arbiter = @Sendable (_ need: Int, _ stop: () -> Bool) -> Bool

    /// Creates a budget.
    public init(total: Int) {
        self.total = total
        arbiter = nil
    }

    /// Creates the far end of a budget that another process keeps, which also knows when a job is over.
    package init(askedOf arbiter: @escaping Arbiter) {
        total = .max
        self.arbiter = arbiter
    }

    /// What one job may need: what the process can still take, measured when no job holds any of it.
    package func room(_ available: () -> Int?, _ reserve: Int) -> Int {
        if taken == 0 { room.store(available().map { max(0, $0 - reserve) } ?? .max, ordering: .relaxed) }
        return min(total, room.load(ordering: .relaxed))
    }

    /// Bytes that are taken now.
    package var taken: Int { used.load(ordering: .relaxed) }

    /// Waits until `need` bytes are free, then takes them until the grant goes away.
    ///
    /// Nil when `stop` said so.
    ///
    /// Every job takes once, after it knows its need and before it allocates, so no two can wait for each other;
    /// a need above `total` was refused before and is clamped here.
    package func take(_ need: Int, unless stop: () -> Bool) -> MemoryGrant? {
        if let arbiter { return arbiter(need, stop) ? MemoryGrant(self, 0) : nil }
        let need = min(need, total)
        while true {
            let now = used.load(ordering: .acquiring)
            if now == 0 || need <= min(total, room.load(ordering: .relaxed)) - now {
                let (taken, _) = used.compareExchange(
                    expected: now, desired: now + need, ordering: .acquiringAndReleasing)
                if taken { return MemoryGrant(self, need) }
                continue
            }
            if stop() { return nil }
            // Jobs last milliseconds to seconds: a short sleep costs less than it would to wake by condition.
            usleep(2_000)
        }
    }

    fileprivate func giveBack(_ bytes: Int) {
        _ = used.wrappingSubtract(bytes, ordering: .acquiringAndReleasing)
    }
}

/// A share of a budget, given back when it goes away.
package final class MemoryGrant: Sendable {
    private let budget: MemoryBudget
    private let bytes: Int

    fileprivate init(_ budget: MemoryBudget, _ bytes: Int) {
        self.budget = budget
        self.bytes = bytes
    }

    deinit { budget.giveBack(bytes) }
}
