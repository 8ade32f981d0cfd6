#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A run of plain elements, zero at first, for the few large things a job holds: its bitmaps and coefficients.
///
/// Large ones lie on pages of their own, from a 2 MiB boundary and with the wish for huge pages: one fault then
/// brings in what would take five hundred, a twentieth of a whole job, and what is freed goes back to the system
/// at once. The range ends with its last small page, so no more becomes resident than is written.
@safe package final class PageBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
    // Safety: `base` has `count` initialised elements from init to deinit. Sendable, because it is written by the
    // one who made it only before it is handed on.
    private let base: UnsafeMutablePointer<Element>
    package let count: Int
    /// Bytes mapped, or 0 where the elements come from the heap.
    private let mapped: Int

    /// - Parameter fillsGradually: whether what is written first may lie alone for a while, so that a huge page would
    ///   take memory before its time.
    package init(count: Int, fillsGradually: Bool = false) {
        self.count = count
        let bytes = count * MemoryLayout<Element>.stride
        if bytes >= 1 << 20, let pages = unsafe Self.mapPages(bytes, asHuge: !fillsGradually) {
            unsafe base = pages.bindMemory(to: Element.self, capacity: count)
            mapped = bytes
        } else {
            let raw = UnsafeMutableRawPointer.allocate(byteCount: max(bytes, 16), alignment: 16)
            unsafe raw.initializeMemory(as: UInt8.self, repeating: 0, count: max(bytes, 16))
            unsafe base = raw.bindMemory(to: Element.self, capacity: count)
            mapped = 0
        }
    }

    deinit {
        if mapped > 0 {
            unsafe munmap(base, mapped)
        } else {
            unsafe UnsafeMutableRawPointer(base).deallocate()
        }
    }

    /// A copy.
    package var elements: [Element] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

    package func withUnsafeBufferPointer<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R
    {
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeBufferPointer(start: base, count: count))
    }

    package func withUnsafeMutableBufferPointer<R>(
        _ body: (UnsafeMutableBufferPointer<Element>) throws -> R
    ) rethrows -> R {
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeMutableBufferPointer(start: base, count: count))
    }

    /// Gives back to the system what pages hold nothing but elements before this one; they must not be read any more.
    package func discard(before end: Int) {
        precondition(end >= 0 && end <= count)
        let page = Int(getpagesize())
        let bytes = end * MemoryLayout<Element>.stride / page * page
        guard mapped > 0, bytes > 0 else { return }
        #if os(Linux)
            let advice = MADV_DONTNEED
        #else
            let advice = MADV_FREE
        #endif
        _ = unsafe madvise(base, bytes, advice)
    }

    /// Fresh pages from a huge page's boundary; nil when the system has none.
    private static func mapPages(_ bytes: Int, asHuge: Bool) -> UnsafeMutableRawPointer? {
        let huge = 1 << 21
        let all = bytes + huge
        let start = unsafe mmap(nil, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { return nil }
        let lead = (huge - Int(bitPattern: start) % huge) % huge
        let pages = unsafe start + lead
        let end = (bytes + 4095) & ~4095
        if lead > 0 { unsafe munmap(start, lead) }
        if all - lead > end { unsafe munmap(pages + end, all - lead - end) }
        #if os(Linux)
            if asHuge { _ = unsafe madvise(pages, bytes, MADV_HUGEPAGE) }
        #endif
        return unsafe pages
    }
}
