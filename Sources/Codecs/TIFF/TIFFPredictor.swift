#if TIFF
    internal import Pixels

    /// Undoes the differencing of rows (TIFF 6.0, section 14, and Adobe's TIFF Technical Note 3), and leaves numbers in
    /// the machine's order.
    struct TIFFPredictor {
        private enum Kind { case none, integers, floats }

        private let kind: Kind
        /// Bytes of a sample, or 1 where samples are no numbers of whole bytes.
        private let size: Int
        /// Samples from one to the next of its kind.
        private let step: Int
        private let isForeign: Bool

        /// Nil for a kind of rows that has no such differences.
        init?(_ picture: TIFFPicture) {
            let bits = picture.bits
            size = [16, 24, 32, 64].contains(bits) ? bits / 8 : 1
            step = picture.isPlanar ? 1 : picture.sampleCount
            isForeign = picture.directory.bytes.isLittleEndian != (1.littleEndian == 1)
            switch picture.predictor {
            case 1: kind = .none
            case 2 where [8, 16, 32, 64].contains(bits): kind = .integers
            case 3 where picture.samples == .float: kind = .floats
            default: return nil
            }
        }

        func undo(_ row: inout [UInt8]) {
            if kind == .floats { return undoFloats(&row) }
            if isForeign, size > 1 { row.swapNumbers(of: size) }
            guard kind == .integers else { return }
            if size == 1 { return Self.accumulate(&row, step) }
            undoWide(&row)
        }

        /// Adds to each byte the one `step` before.
        private static func accumulate(_ row: inout [UInt8], _ step: Int) {
            unsafe row.withUnsafeMutableBufferPointer { row in
                // Both indices are below the count.
                for i in step..<max(step, row.count) { unsafe row[i] &+= row[i &- step] }
            }
        }

        private func undoWide(_ row: inout [UInt8]) {
            let count = row.count / size
            let isLittle = 1.littleEndian == 1
            for i in step..<max(step, count) {
                var carry: UInt16 = 0
                for byte in 0..<size {
                    // From the lowest byte to the highest.
                    let at = isLittle ? byte : size - 1 - byte
                    let sum = UInt16(row[i * size + at]) + UInt16(row[(i - step) * size + at]) + carry
                    row[i * size + at] = UInt8(truncatingIfNeeded: sum)
                    carry = sum >> 8
                }
            }
        }

        /// The bytes of all numbers lie sorted, all highest ones first, as differences.
        private func undoFloats(_ row: inout [UInt8]) {
            Self.accumulate(&row, step)
            let count = row.count / size
            let sorted = row
            let isLittle = 1.littleEndian == 1
            for i in 0..<count {
                for byte in 0..<size {
                    row[i * size + (isLittle ? size - 1 - byte : byte)] = sorted[byte * count + i]
                }
            }
        }
    }
#endif
