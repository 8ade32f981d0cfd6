import AttachmentPrep
import Testing

/// The need computed from a header is no less than what a process grows by, seen from outside.
@Suite(.enabled(if: Outside.isMeasurable)) struct MemoryNeedTests {
    @Test(arguments: [(false, 8), (true, 8), (true, 16)] as [(Bool, UInt8)])
    func png(isInterlaced: Bool, depth: UInt8) throws {
        let png = PNGParts(width: 400, height: 1100, color: .rgba, depth: depth, isInterlaced: isInterlaced) {
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
            let grown = try #require(Outside(png, options)).grown
            // What the header does not decide, code that is paged in and the allocator's slack, is a few hundred kB.
            #expect(grown <= need + 500_000, "\(isInterlaced) \(profiles.count)")
            #expect(need <= 2 * grown + 4_000_000, "\(isInterlaced) \(profiles.count)")
        }
    }

    /// A whole picture's coefficients would be 144 and 192 MB.
    @Test(arguments: [FlatProgressive.quarterChroma, .inks]) func progressive(kind: FlatProgressive) throws {
        let run = try #require(Outside(kind.jpeg(8000, 6000), "--memory-limit 14MiB"))
        #expect(run.code == nil)
        let need = try #require(run.need)
        #expect(run.grown <= need + 500_000, "\(kind)")
        #expect(need <= 14 * 1024 * 1024)
    }
}
