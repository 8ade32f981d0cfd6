/// The coefficients of one row of MCUs: for each component its rows of blocks, each block in row-major order.
@safe package final class CoefficientRow {
    /// Where a component's blocks begin.
    ///
    /// Safety: rowBlocks × down blocks of 64 values each, freed in deinit only; every index a scan decoder makes
    /// of them comes from the same geometry.
    @safe package let planes: [UnsafeMutablePointer<Int16>]
    /// For each block, in the order of the planes, which coefficients are not zero: bit k for zigzag position k.
    @safe let masks: [UnsafeMutablePointer<UInt64>]
    package let geometry: FrameGeometry
    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int

    /// Bytes a row takes.
    package static func memoryNeed(_ geometry: FrameGeometry) -> Int {
        geometry.blocksPerRow * (128 + 8) + 64
    }

    package init(_ geometry: FrameGeometry) {
        self.geometry = geometry
        byteCount = geometry.blocksPerRow * (128 + 8)
        // libjpeg-turbo's transforms load whole vectors from aligned blocks.
        unsafe memory = .allocate(byteCount: byteCount, alignment: 64)
        var blocks = 0
        let starts = geometry.components.map { component in
            defer { blocks += component.rowBlocks * component.down }
            return blocks
        }
        let total = blocks
        let base = unsafe memory
        unsafe planes = starts.map { unsafe (base + $0 * 128).assumingMemoryBound(to: Int16.self) }
        unsafe masks = starts.map {
            unsafe (base + total * 128 + $0 * 8).assumingMemoryBound(to: UInt64.self)
        }
        clear()
    }

    deinit { unsafe memory.deallocate() }

    /// Makes every coefficient zero.
    func clear() { unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount) }
}
