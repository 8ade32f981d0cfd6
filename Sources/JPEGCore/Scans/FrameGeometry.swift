package import Pixels

/// How a frame is cut into blocks and MCUs (T.81, A.1 and A.2), from its frame header.
package struct FrameGeometry: Hashable, Sendable {
    package struct Component: Hashable, Sendable {
        package let id: UInt8
        /// Sampling factors: blocks of an interleaved MCU.
        package let across: Int
        package let down: Int
        /// Number of its quantisation table.
        package let quantiser: Int
        /// Blocks that hold samples.
        package let blocksWide: Int
        package let blocksHigh: Int
        /// Blocks in a row with those that only fill the last MCU.
        package let rowBlocks: Int
    }

    package let size: PixelSize
    package let components: [Component]
    package let mcusPerRow: Int
    package let mcuRows: Int

    /// From a whole SOF segment; nil when its numbers cannot be right.
    package init?(segment: [UInt8]) {
        guard segment.count >= 10, segment.count == 10 + 3 * Int(segment[9]) else { return nil }
        size = PixelSize(Int(segment[7]) << 8 | Int(segment[8]), Int(segment[5]) << 8 | Int(segment[6]))
        let raw = stride(from: 10, to: segment.count, by: 3).map { Array(segment[$0..<$0 + 3]) }
        guard size.width > 0, size.height > 0, (1...4).contains(raw.count),
            raw.allSatisfy({ (1...4).contains($0[1] >> 4) && (1...4).contains($0[1] & 15) && $0[2] < 4 })
        else { return nil }
        let across = raw.map { Int($0[1] >> 4) }
        let down = raw.map { Int($0[1] & 15) }
        let (mostAcross, mostDown) = (across.max() ?? 1, down.max() ?? 1)
        func ceiling(_ a: Int, _ b: Int) -> Int { (a + b - 1) / b }
        let mcus = ceiling(size.width, 8 * mostAcross)
        let (width, height) = (size.width, size.height)
        mcusPerRow = mcus
        mcuRows = ceiling(height, 8 * mostDown)
        components = raw.indices.map { i in
            Component(
                id: raw[i][0], across: across[i], down: down[i], quantiser: Int(raw[i][2]),
                blocksWide: ceiling(width * across[i], 8 * mostAcross),
                blocksHigh: ceiling(height * down[i], 8 * mostDown), rowBlocks: mcus * across[i])
        }
    }

    /// Blocks of all components in one row of MCUs.
    package var blocksPerRow: Int { components.reduce(0) { $0 + $1.rowBlocks * $1.down } }

    /// Rows of blocks with samples that a component has in an MCU row.
    func blockRows(of component: Component, inRow row: Int) -> Int {
        min(component.down, component.blocksHigh - row * component.down)
    }
}
