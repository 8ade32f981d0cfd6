import Testing

@testable import Pixels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Pages that come, and go before their buffer does.
@Suite struct PageBufferTests {
    /// Bytes of the elements that are in memory, as the system says.
    private func resident(_ buffer: PageBuffer<UInt16>) -> Int {
        let page = Int(getpagesize())
        return unsafe buffer.withUnsafeMutableBufferPointer { elements in
            let pages = (elements.count * 2 + page - 1) / page
            var states = [UInt8](repeating: 0, count: pages)
            guard unsafe mincore(elements.baseAddress, elements.count * 2, &states) == 0 else { return -1 }
            return states.count { $0 & 1 != 0 } * page
        }
    }

    private func filled(_ count: Int) -> PageBuffer<UInt16> {
        let buffer = PageBuffer<UInt16>(count: count, fillsGradually: true)
        unsafe buffer.withUnsafeMutableBufferPointer { elements in
            for i in elements.indices { unsafe elements[i] = UInt16(truncatingIfNeeded: i) | 1 }
        }
        return buffer
    }

    @Test(arguments: [0, 1, 2047, 2048, 500_000, 1_000_000, 1_000_001])
    func whatIsDiscardedLeavesMemoryAndTheRestStays(_ end: Int) {
        let count = 1_000_001
        let buffer = filled(count)
        let before = resident(buffer)
        #expect(before >= count * 2)
        buffer.discard(before: end)
        // Whole pages alone: what shares one with the first element that stays, stays too.
        #expect(before - resident(buffer) == end * 2 / Int(getpagesize()) * Int(getpagesize()))
        let elements = buffer.elements
        #expect((end..<count).allSatisfy { elements[$0] == UInt16(truncatingIfNeeded: $0) | 1 })
    }

    @Test func aSmallOneLiesOnTheHeapAndStays() {
        let buffer = filled(1000)
        buffer.discard(before: 1000)
        #expect(buffer.elements == (0..<1000).map { UInt16($0) | 1 })
    }

    @Test func whatFillsGraduallyTakesNoMoreThanWasWritten() {
        let buffer = PageBuffer<UInt16>(count: 4 << 20, fillsGradually: true)
        unsafe buffer.withUnsafeMutableBufferPointer { elements in unsafe elements[0] = 1 }
        #expect(resident(buffer) == Int(getpagesize()))
    }
}
