internal import Pixels

/// How much error the eye forgives in each block, from the picture alone.
struct BlockActivity: Sendable {
    /// Bits that an error of one divisor, squared, is worth: one number for each block, in the blocks' order.
    let weights: [Float]

    // Found by search, like the tables' shapes.
    private static let lumaWeight: Float = 18.5
    private static let chromaWeight: Float = 17
    /// Mean square of AC at which errors count half.
    private static let halfEnergy: Float = 1050

    static func memoryNeed(blocks: Int) -> Int { blocks * 4 }

    init(_ image: CoefficientImage) {
        let count = image.geometry.totalBlocks
        let lumaBlocks = image.geometry.blockCount(of: 0)
        weights = unsafe [Float](unsafeUninitializedCapacity: count) { output, filled in
            unsafe image.coefficients.withUnsafeBufferPointer { blocks in
                guard let blocks = blocks.baseAddress, let output = output.baseAddress else { return }
                for block in 0..<count {
                    let energy = unsafe Self.energy(blocks + block * 64)
                    unsafe output[block] =
                        (block < lumaBlocks ? Self.lumaWeight : Self.chromaWeight)
                        / (1 + energy / Self.halfEnergy)
                }
            }
            filled = count
        }
    }
}

extension BlockActivity {
    /// Mean square of the AC coefficients.
    ///
    /// Safety: 64 values, aligned for `SIMD8<Int16>`.
    @inline(__always)
    static func energy(_ block: UnsafePointer<Int16>) -> Float {
        let source = unsafe UnsafeRawPointer(block)
        var sum = SIMD8<Float>()
        for vector in 0..<8 {
            let value = unsafe SIMD8<Float>(source.load(fromByteOffset: vector &* 16, as: SIMD8<Int16>.self))
            sum += value * value
        }
        let dc = unsafe Float(block[0])
        let four = sum.lowHalf + sum.highHalf
        let two = four.lowHalf + four.highHalf
        // Sixteenths, squared, over 63 coefficients.
        return (two[0] + two[1] - dc * dc) / (256 * 63)
    }
}
