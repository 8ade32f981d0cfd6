internal import Pixels

/// How many chroma samples a JPEG keeps for its luma samples.
package enum Subsampling: Hashable, Sendable {
    /// One component, no chroma at all.
    case gray
    /// One chroma sample for 2 × 2 pixels.
    case s420
    /// One chroma sample a pixel.
    case s444

    /// The usual notation, as it appears in the record.
    package var name: String {
        switch self {
        case .gray: "4:0:0"
        case .s420: "4:2:0"
        case .s444: "4:4:4"
        }
    }
}

/// Where the blocks of a picture lie: one interleaved scan (or the only component's own scan).
struct ScanGeometry: Hashable, Sendable {
    let width: Int
    let height: Int
    let subsampling: Subsampling

    /// The frame header has 16 bits for a side, so other sizes are brought to the nearest possible one.
    init(size: PixelSize, subsampling: Subsampling) {
        width = max(1, min(65535, size.width))
        height = max(1, min(65535, size.height))
        self.subsampling = subsampling
    }

    /// Pixels on a side of one MCU.
    var mcuSide: Int { subsampling == .s420 ? 16 : 8 }
    var mcusAcross: Int { (width + mcuSide - 1) / mcuSide }
    var mcusDown: Int { (height + mcuSide - 1) / mcuSide }
    var componentCount: Int { subsampling == .gray ? 1 : 3 }

    /// Size of a component in samples.
    func samples(of component: Int) -> (across: Int, down: Int) {
        guard subsampling == .s420, component > 0 else { return (width, height) }
        return ((width + 1) / 2, (height + 1) / 2)
    }

    /// Blocks of a component in one MCU.
    func blocksPerMCU(of component: Int) -> Int {
        subsampling == .s420 && component == 0 ? 4 : 1
    }

    /// Blocks of a component in one row of MCUs, dummy blocks included.
    func blocksPerMCURow(of component: Int) -> Int {
        mcusAcross * blocksPerMCU(of: component)
    }

    func blockCount(of component: Int) -> Int {
        blocksPerMCURow(of: component) * mcusDown
    }

    /// Number of the component's first block when the components' blocks follow one another.
    func firstBlock(of component: Int) -> Int {
        (0..<component).reduce(0) { $0 + blockCount(of: $1) }
    }

    var totalBlocks: Int { firstBlock(of: componentCount) }
}
