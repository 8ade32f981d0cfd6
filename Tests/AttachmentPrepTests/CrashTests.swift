import AttachmentPrep
import Testing

/// Inputs of mended faults, and how the fuzz targets treat them: a result or an error, however the bytes come.
@Suite struct CrashTests {
    private static let folder = shell(
        "cd \"$(dirname '\(#filePath)')/../Crashes\" && find . -type f ! -name README.md | sort && pwd"
    ).text.split(separator: "\n").map(String.init)

    @Test func crashInputsEnd() throws {
        let root = try #require(Self.folder.last)
        for name in Self.folder.dropLast() {
            let bytes = try #require(contents("\(root)/\(name)"))
            for allowsTruncated in [false, true] {
                for arrival: Arrival in [.whole, .pieces(1), .file] {
                    let run = prepare(bytes, profile: .small, arrival) {
                        $0.allowsTruncated = allowsTruncated
                    }
                    #expect((run.picture == nil) == (run.record.error != nil), "\(name) \(arrival)")
                }
            }
        }
    }
}
