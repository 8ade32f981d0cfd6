import AttachmentPrep
import Testing

/// The need computed from a header is no less than what a process grows by, seen from outside.
@Suite(.enabled(if: Outside.isMeasurable)) struct MemoryNeedTests {
    @Test(arguments: [(false, 8), (true, 8), (true, 16)] as [(Bool, UInt8)])
    func png(isInterlaced: Bool, depth: UInt8) throws {
        let png = PNGParts(width: 120, height: 1100, color: .rgba, depth: depth, isInterlaced: isInterlaced) {
            x, y in
            let pixel = [
                UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: y), UInt8((x ^ y) & 255), 200,
            ]
            return depth == 8 ? pixel : pixel.flatMap { [$0, $0] }
        }.bytes
        for profiles in [[Profile.apns], [.apns, .thumb]] {
            let record = AttachmentPreparer(profiles) { _ in }.run(png).record
            let need = try #require(record.memory?.need)
            let options = profiles.map { "--profile \($0.name)" }.joined(separator: " ")
            let run = try #require(Outside(png, options))
            let grown = run.grown
            #expect(run.code == nil && run.need == need)
            // What the header does not decide, code that is paged in and the allocator's slack, is a few hundred kB.
            #expect(grown <= need + 500_000, "\(isInterlaced) \(profiles.count)")
            // An idle process is some hundred kB larger or smaller from run to run, so a small job's growth may be negative.
            #expect(need <= 2 * max(0, grown) + 4_000_000, "\(isInterlaced) \(profiles.count)")
        }
    }

    /// A whole picture's coefficients would be 18 MB, with the last scan cut off as without.
    @Test(arguments: [(FlatProgressive.quarterChroma, 600), (.inks, 225)])
    func progressive(kind: FlatProgressive, height: Int) throws {
        let whole = kind.jpeg(10_000, height)
        let last = try #require(whole.indices.last { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA })
        let runs = [
            try #require(Outside(whole, "--memory-limit 14MiB")),
            try #require(Outside(Array(whole[..<last]), "--memory-limit 14MiB --allow-truncated")),
        ]
        let needs = try runs.map { try #require($0.need) }
        for (run, need) in zip(runs, needs) {
            #expect(run.code == nil && run.grown <= need + 500_000, "\(kind): \(run.grown) of \(need)")
            #expect(need <= 2 * run.grown + 4_000_000, "\(kind): \(run.grown) of \(need)")
        }
        #expect(needs[1] > needs[0])
    }
}
