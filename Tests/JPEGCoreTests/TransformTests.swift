import Foundation
import Pixels
import Testing

@testable import JPEGCore

@Suite struct TransformTests {
    /// T.81, A.3.3, as the formula stands, after the level shift.
    private func reference(_ block: [UInt8]) -> [Double] {
        func c(_ index: Int) -> Double { index == 0 ? 1 / 2.0.squareRoot() : 1 }
        return (0..<64).map { natural in
            let (v, u) = (natural / 8, natural % 8)
            var sum = 0.0
            for y in 0..<8 {
                for x in 0..<8 {
                    sum +=
                        (Double(block[y * 8 + x]) - 128) * cos(Double((2 * x + 1) * u) * .pi / 16)
                        * cos(Double((2 * y + 1) * v) * .pi / 16)
                }
            }
            return sum * c(u) * c(v) / 4
        }
    }

    private func coefficients(_ image: CoefficientImage, block: Int) -> [Double] {
        var natural = [Double](repeating: 0, count: 64)
        for position in 0..<64 {
            let slot = CoefficientOrder.slot(ofZigzag: position)
            natural[CoefficientOrder.naturalOfZigzag[position]] =
                Double(image.coefficients.elements[block * 64 + slot]) / 16
        }
        return natural
    }

    @Test func coefficientsMatchTheFormula() {
        var random = Random(seed: 5)
        var blocks = (0..<20).map { _ in (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
        blocks.append([UInt8](repeating: 0, count: 64))
        blocks.append([UInt8](repeating: 255, count: 64))
        blocks.append((0..<64).map { ($0 + $0 / 8) % 2 == 0 ? 255 : 0 })
        blocks.append((0..<64).map { $0 % 8 < 4 ? 255 : 0 })
        for block in blocks {
            let bitmap = Bitmap(size: PixelSize(8, 8), channels: 1, samples: block)
            let image = CoefficientImage(bitmap, subsampling: .s420)
            #expect(image.subsampling == .gray)
            for (ours, theirs) in zip(coefficients(image, block: 0), reference(block)) {
                // Half a sixteenth of rounding and a little of single precision.
                #expect(abs(ours - theirs) < 1.0 / 32 + 0.001)
            }
        }
    }

    @Test(arguments: [Subsampling.s420, .s444])
    func chromaIsTheJFIFConversionAveraged(_ subsampling: Subsampling) {
        let side = subsampling == .s420 ? 16 : 8
        let picture = Pictures.noise(side, side)
        let image = CoefficientImage(picture, subsampling: subsampling)
        let step = side / 8
        for (component, weights) in [
            (1, (-0.168735892, -0.331264108, 0.5)), (2, (0.5, -0.418687589, -0.081312411)),
        ] {
            // DC is eight times the mean.
            var sum = 0.0
            for pixel in 0..<side * side {
                sum += weights.0 * Double(picture.samples[pixel * 3])
                sum += weights.1 * Double(picture.samples[pixel * 3 + 1])
                sum += weights.2 * Double(picture.samples[pixel * 3 + 2])
            }
            let block = image.geometry.firstBlock(of: component)
            #expect(abs(coefficients(image, block: block)[0] - sum / Double(64 * step * step) * 8) < 0.05)
        }
    }

    @Test func zigzagRunsAsInTheStandard() {
        #expect(CoefficientOrder.naturalOfZigzag.prefix(10) == [0, 1, 8, 16, 9, 2, 3, 10, 17, 24])
        #expect(CoefficientOrder.naturalOfZigzag.suffix(4) == [47, 55, 62, 63])
        #expect(Set(CoefficientOrder.naturalOfZigzag).count == 64)
        #expect(Set((0..<64).map { CoefficientOrder.slot(ofZigzag: $0) }) == Set(0..<64))
    }

    /// The reciprocal is a division: all coefficients at all divisors.
    @Test(arguments: [1, 2, 3, 5, 7, 16, 23, 64, 99, 127, 128, 200, 254, 255] as [UInt8])
    func quantisingRoundsToNearest(_ divisor: UInt8) {
        let quantiser = BlockQuantiser([UInt8](repeating: divisor, count: 64), deadZone: 0)
        for coefficient in Int16(-16384)...16384 {
            let exact = (Int(coefficient.magnitude) + Int(divisor) * 8) / (Int(divisor) * 16)
            let expected = coefficient < 0 ? -exact : exact
            if quantiser.dc(coefficient) != expected {
                Issue.record("\(coefficient) / \(divisor): \(quantiser.dc(coefficient)), not \(expected)")
                return
            }
        }
    }

    /// The eight-lane path against plain division, zero mask included.
    @Test func blocksAreQuantisedLikeNumbers() {
        var random = Random(seed: 7)
        let table = (0..<64).map { _ in UInt8(1 + random.next() % 255) }
        let quantiser = BlockQuantiser(table, deadZone: 0)
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
        defer { unsafe storage.deallocate() }
        let block = unsafe storage.bindMemory(to: Int16.self)
        for round in 0..<200 {
            for slot in 0..<64 {
                unsafe block[slot] =
                    Int16(truncatingIfNeeded: Int(random.next() % 32769) - 16384) >> Int16(round % 12)
            }
            unsafe quantiser.withFactors { factors in
                guard let start = block.baseAddress else { return }
                let mask = unsafe (start + 64).withMemoryRebound(to: UInt16.self, capacity: 64) {
                    unsafe BlockQuantiser.quantise(start, factors, magnitudes: $0)
                }
                for position in 0..<64 {
                    let slot = CoefficientOrder.slot(ofZigzag: position)
                    let divisor = Int(table[CoefficientOrder.naturalOfZigzag[position]]) * 16
                    let expected = unsafe (Int(start[slot].magnitude) + divisor / 2) / divisor
                    #expect(unsafe Int(start[64 + slot]) == expected)
                    #expect((mask >> UInt64(position) & 1 == 1) == (expected != 0))
                }
            }
        }
    }
}
