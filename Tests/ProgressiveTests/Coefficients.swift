import CJPEGOracle
import JPEGCore

/// All coefficients of a picture: for each component its rows of blocks, row-major.
struct Coefficients: Equatable {
    var components: [[Int16]] = []

    /// Through the lockstep reader.
    static func lockstep(_ jpeg: [UInt8], mayBeCut: Bool = false, isDCOnly: Bool = false) throws -> Self {
        var index = ScanIndex(maxScans: 100)
        // Odd pieces, so that markers are split between them.
        for start in stride(from: 0, to: jpeg.count, by: 997) {
            try index.push(jpeg.span.extracting(start..<min(start + 997, jpeg.count)))
        }
        index.finish()
        if index.end == nil, !mayBeCut { throw ScanError.truncated }
        let reader = try LockstepReader(index, MemoryBytes(jpeg), isDCOnly: isDCOnly, mayBeCut: mayBeCut)
        let geometry = reader.geometry
        var result = Self(components: geometry.components.map { _ in [] })
        var row = 0
        while try reader.next() {
            for (i, component) in geometry.components.enumerated() {
                let rows = min(component.down, component.blocksHigh - row * component.down)
                for y in 0..<max(0, rows) {
                    let start = unsafe reader.rows[0].planes[i] + y * component.rowBlocks * 64
                    unsafe result.components[i].append(
                        contentsOf: UnsafeBufferPointer(start: start, count: component.blocksWide * 64))
                }
            }
            row += 1
        }
        return result
    }

    /// Through libjpeg, with the number of its warnings; nil when it gives up.
    static func libjpeg(_ jpeg: [UInt8]) -> (coefficients: Self, warnings: Int)? {
        guard let oracle = unsafe oracle_read(jpeg, jpeg.count) else { return nil }
        defer { unsafe oracle_free(oracle) }
        var result = Self()
        for i in unsafe 0..<oracle_components(oracle) {
            var values: [Int16] = []
            var block = [Int16](repeating: 0, count: 64)
            for y in unsafe 0..<oracle_blocks_high(oracle, i) {
                for x in unsafe 0..<oracle_blocks_wide(oracle, i) {
                    unsafe oracle_block(oracle, i, x, y, &block)
                    values += block
                }
            }
            result.components.append(values)
        }
        return (result, unsafe Int(oracle_warnings(oracle)))
    }

    /// Where two differ first, for a failure's message.
    func difference(from other: Self) -> String? {
        guard components.count == other.components.count else { return "components" }
        for (i, (a, b)) in zip(components, other.components).enumerated() {
            if a.count != b.count { return "component \(i): \(a.count) and \(b.count) values" }
            if let at = a.indices.first(where: { a[$0] != b[$0] }) {
                return "component \(i), block \(at / 64), coefficient \(at % 64): \(a[at]) and \(b[at])"
            }
        }
        return nil
    }
}
