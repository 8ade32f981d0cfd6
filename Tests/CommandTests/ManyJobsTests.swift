import Foundation
import TestSupport
import Testing

/// Nothing is kept between the jobs of one process.
@Suite struct ManyJobsTests {
    private static let isMeasurable =
        ProcessInfo.processInfo.environment["GATE_SANITIZER"] == nil
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/time")

    /// What a job more may leave behind: its path in the listing, its place in the state file, nothing of a picture.
    private static let bytesPerJob = 1200

    /// One of each way through: passed on, spooled, plain and interlaced, damaged, of no type.
    private func inputs() throws -> [(name: String, data: Data)] {
        let interlaced = try fixture("pngsuite/basi6a16.png")
        return [
            ("passed.jpg", Samples.jpeg), ("progressive.jpg", Data(try JPEGSamples.named("progressive"))),
            ("plain.png", Data(try fixture("pngsuite/basn2c08.png"))), ("interlaced.png", Data(interlaced)),
            ("cut.png", Data(interlaced.prefix(interlaced.count - 40))), ("text.jpg", Samples.text),
        ]
    }

    @Test(.enabled(if: isMeasurable)) func twoThousandDoNotGrowTheProcess() throws {
        let place = try Workplace()
        let inputs = try inputs()
        func peak(_ count: Int) throws -> Int {
            try place.write(
                Dictionary(
                    uniqueKeysWithValues: (0..<count).map { i in
                        let input = inputs[i % inputs.count]
                        return ("in-\(count)/\(i / 100)/\(i)-\(input.name)", input.data)
                    }))
            let run = try place.run(
                "/usr/bin/time -f %M -o peak attachprep batch in-\(count) -o out-\(count) --jobs 2 --quiet"
                    + " --max-edge 30 --report report-\(count)")
            // The damaged ones are rejected.
            #expect(run.status == 1)
            let report = try place.run("wc -l < report-\(count)").output
            #expect(Int(report.filter(\.isNumber)) == count)
            let text = try place.run("tail -n 1 peak").output
            return try #require(Int(text.filter(\.isNumber))) * 1024
        }
        let few = try peak(200)
        let many = try peak(2000)
        #expect(many - few <= 1800 * Self.bytesPerJob, "\(few) bytes after 200 jobs, \(many) after 2000")
    }
}
