#if HEIF
    /// Loops over rows of samples; what they make is 16 times as large, so that blends and means keep fractions.
    ///
    /// Safety: pointers have as many elements as the counts say. Samples have at most 12 bits, so that nothing
    /// here leaves 16.
    enum SampleLines {
        typealias Line = UnsafeMutablePointer<UInt16>
        typealias Sample = FixedWidthInteger & UnsignedInteger

        static func widen<S: Sample>(_ row: UnsafePointer<S>, _ count: Int, into out: Line) {
            for i in 0..<count { unsafe out[i] = UInt16(truncatingIfNeeded: row[i]) &<< 4 }
        }

        /// Blends two rows of chroma, `near` with weight 4 - `farWeight`; four times as large.
        static func blend<S: Sample>(
            _ near: UnsafePointer<S>, _ far: UnsafePointer<S>, farWeight: UInt16, _ count: Int, into out: Line
        ) {
            let nearWeight = 4 &- farWeight
            for i in 0..<count {
                unsafe out[i] =
                    UInt16(truncatingIfNeeded: near[i]) &* nearWeight
                    &+ UInt16(truncatingIfNeeded: far[i]) &* farWeight
            }
        }

        /// Spreads a row of `count` blended samples over `width` pixels, again four times as large.
        ///
        /// - Parameter isLeft: each lies on the left one of its two pixels, else between them.
        static func spread(_ row: UnsafePointer<UInt16>, _ count: Int, isLeft: Bool, _ width: Int, into out: Line) {
            guard count > 0 else { return }
            var last = unsafe row[0]
            for i in 0..<(width / 2) {
                let here = unsafe row[i]
                let next = unsafe i &+ 1 < count ? row[i &+ 1] : here
                unsafe out[2 &* i] = isLeft ? here &* 4 : here &* 3 &+ last
                unsafe out[2 &* i &+ 1] = isLeft ? (here &+ next) &* 2 : here &* 3 &+ next
                last = here
            }
            if width & 1 == 1 {
                let here = unsafe row[count &- 1]
                unsafe out[width &- 1] = isLeft ? here &* 4 : here &* 3 &+ last
            }
        }

        /// Adds a row to sums of at most 8.
        static func add<S: Sample>(_ row: UnsafePointer<S>, _ count: Int, to sums: Line) {
            for i in 0..<count { unsafe sums[i] &+= UInt16(truncatingIfNeeded: row[i]) }
        }

        /// Means of `factor` sums of `rows` rows each, of fewer at the right edge.
        static func means(
            _ sums: UnsafePointer<UInt16>, _ count: Int, factor: Int, rows: Int, into out: Line
        ) {
            let whole = count / factor
            let parts = UInt32(factor &* rows)
            // Powers of two, but at the lower edge.
            let isEven = parts & (parts &- 1) == 0
            let shift = UInt32(parts.trailingZeroBitCount)
            for i in 0..<whole {
                var sum: UInt32 = 0
                for j in 0..<factor { unsafe sum &+= UInt32(sums[i &* factor &+ j]) }
                let scaled = sum &<< 4 &+ parts / 2
                unsafe out[i] = UInt16(truncatingIfNeeded: isEven ? scaled &>> shift : scaled / parts)
            }
            guard whole * factor < count else { return }
            var sum: UInt32 = 0
            for j in (whole * factor)..<count { unsafe sum &+= UInt32(sums[j]) }
            let last = UInt32((count - whole * factor) * rows)
            unsafe out[whole] = UInt16(truncatingIfNeeded: (sum &<< 4 &+ last / 2) / last)
        }
    }
#endif
