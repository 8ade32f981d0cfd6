/// The scans of a file: one interleaved one, or a progression through the spectrum and the bits.
enum ScanScript: CaseIterable, Sendable {
    case sequential
    /// Luma's two lowest frequencies apart from the others, which have longer runs of zeros and empty blocks.
    case bands
    /// As `bands`, with the last bit of the higher frequencies in a scan of its own.
    case bandsAndBit
    /// As `bands`, with two bits of luma and one of chroma in scans of their own: for large files.
    case bandsAndBits

    /// One scan of a progressive file.
    struct Scan: Hashable {
        let components: Range<Int>
        /// Zigzag positions.
        let band: ClosedRange<Int>
        /// Bits left out so far (Ah of T.81) and after this scan (Al); Ah is 0 in a band's first scan.
        var high = 0
        var low = 0
    }

    /// The scans in order; empty for a sequential file.
    func scans(components: Int) -> [Scan] {
        guard self != .sequential else { return [] }
        let lumaBits = self == .bands ? 0 : self == .bandsAndBit ? 1 : 2
        let chromaBits = self == .bandsAndBits ? 1 : 0
        var scans = [
            Scan(components: 0..<components, band: 0...0),
            Scan(components: 0..<1, band: 1...2),
            Scan(components: 0..<1, band: 3...63, low: lumaBits),
        ]
        for component in 1..<max(1, components) {
            scans.append(Scan(components: component..<(component + 1), band: 1...63, low: chromaBits))
        }
        for bit in stride(from: lumaBits, to: 0, by: -1) {
            scans.append(Scan(components: 0..<1, band: 3...63, high: bit, low: bit - 1))
        }
        for component in 1..<max(1, components) where chromaBits > 0 {
            scans.append(Scan(components: component..<(component + 1), band: 1...63, high: 1, low: 0))
        }
        return scans
    }
}
