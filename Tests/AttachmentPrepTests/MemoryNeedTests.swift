import AttachmentPrep
import Testing

/// The need computed from a header is no less than what a process grows by, seen from outside.
@Suite(.enabled(if: isThorough && shell("test -x /usr/bin/time").status == 0)) struct MemoryNeedTests {
    /// Peak resident bytes of the program beside the tests when it prepares a file.
    private static func peak(_ bytes: [UInt8], _ options: String = "") throws -> Int {
        let scratch = Scratch()
        let input = scratch.write("input", bytes)
        let program = (CommandLine.arguments[0].split(separator: "/").dropLast() + ["attachprep"])
            .joined(separator: "/")
        let report = scratch.file("peak")
        let run = shell(
            "/usr/bin/time -f %M -o \(report) /\(program) prepare \(input) --output \(scratch.path) "
                + "--quiet --timeout 0 \(options) 2> /dev/null")
        #expect(run.status == 0)
        let text = String(decoding: contents(report) ?? [], as: UTF8.self).filter(\.isNumber)
        return try #require(Int(text)) * 1024
    }

    /// What the program takes for a picture that takes nothing.
    private static let least = (1...3).compactMap { _ in
        try? peak(PNGParts(width: 1, height: 1) { _, _ in [1, 2, 3] }.bytes)
    }.max()

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
            let grown = try Self.peak(png, options) - (try #require(Self.least))
            // What the header does not decide, code that is paged in and the allocator's slack, is a few hundred kB.
            #expect(grown <= need + 500_000, "\(isInterlaced) \(profiles.count)")
            #expect(need <= 2 * grown + 4_000_000, "\(isInterlaced) \(profiles.count)")
        }
    }
}
