/// STUB: the sum of computed needs of the jobs that share it never exceeds `total`.
public final class MemoryBudget: Sendable {
    /// Bytes all jobs together may need.
    public let total: Int
    /// Creates a budget.
    public init(total: Int) { self.total = total }
}
