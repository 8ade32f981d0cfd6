import JPEGCore
import TestSupport
import Testing

/// Every coefficient must be what libjpeg-turbo reads.
@Suite struct CoefficientTests {
    /// Scan scripts as cjpeg takes them.
    enum Script: String, CaseIterable, Sendable {
        case standard
        /// DC a component at a time, in two steps.
        case separateDC =
            "0: 0-0, 0, 1; 1: 0-0, 0, 1; 2: 0-0, 0, 1; 0: 0-0, 1, 0; 1: 0-0, 1, 0; 2: 0-0, 1, 0;\n"
        case twoLevels = """
            0,1,2: 0-0, 0, 2; 0,1,2: 0-0, 2, 1; 0,1,2: 0-0, 1, 0;
            0: 1-63, 0, 2; 0: 1-63, 2, 1; 0: 1-63, 1, 0;
            1: 1-63, 0, 2; 2: 1-63, 0, 2; 1: 1-63, 2, 1; 2: 1-63, 2, 1; 1: 1-63, 1, 0; 2: 1-63, 1, 0;
            """
        case spectralOnly = """
            0,1,2: 0-0, 0, 0; 0: 1-2, 0, 0; 0: 3-9, 0, 0; 0: 10-63, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0;
            """
        /// Bits that never come.
        case unrefined = "0,1,2: 0-0, 0, 1; 0: 1-63, 0, 2; 1: 1-63, 0, 1; 2: 1-5, 0, 3;\n"
        case partlyInterleavedDC =
            "0: 0-0, 0, 0; 1,2: 0-0, 0, 0; 0: 1-63, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0;\n"
        case sequential = "0; 1; 2;\n"
        case sequentialPair = "0; 1,2;\n"
    }

    private func check(_ jpeg: [UInt8], _ comment: Comment) throws {
        let expected = try #require(Coefficients.libjpeg(jpeg), comment)
        #expect(expected.warnings == 0, comment)
        let got = try Coefficients.lockstep(jpeg)
        #expect(got.difference(from: expected.coefficients) == nil, comment)
    }

    @Test(arguments: Script.allCases, ["1x1", "2x1", "2x2", "4x1", "1x2"])
    func scriptsAndSampling(script: Script, sampling: String) throws {
        let fixtures = try Fixtures()
        let options = ["-quality", "92", "-sample", sampling]
        let jpeg =
            script == .standard
            ? try fixtures.cjpeg(83, 61, options + ["-progressive"])
            : try fixtures.cjpeg(83, 61, options, scans: script.rawValue)
        try check(jpeg, "\(script) \(sampling)")
    }

    @Test(arguments: ["1", "2", "1B", "3B", "7B"], [Script.standard, .sequential, .twoLevels])
    func restartIntervals(interval: String, script: Script) throws {
        let fixtures = try Fixtures()
        let options = ["-sample", "2x2", "-restart", interval]
        let jpeg =
            script == .standard
            ? try fixtures.cjpeg(83, 61, options + ["-progressive"])
            : try fixtures.cjpeg(83, 61, options, scans: script.rawValue)
        try check(jpeg, "\(interval) \(script)")
    }

    @Test(arguments: ["5", "50", "97", "100"])
    func qualities(quality: String) throws {
        let fixtures = try Fixtures()
        try check(try fixtures.cjpeg(200, 120, ["-quality", quality, "-progressive"]), "\(quality)")
        try check(try fixtures.cjpeg(200, 120, ["-quality", quality], scans: "0; 1; 2;\n"), "\(quality)")
    }

    @Test func sides() throws {
        let fixtures = try Fixtures()
        for side in 1...33 {
            let other = (side * 7) % 33 + 1
            try check(
                try fixtures.cjpeg(side, other, ["-sample", "2x2", "-progressive"]), "\(side) x \(other)")
            try check(
                try fixtures.cjpeg(other, side, ["-progressive"], isGrey: true), "grey \(other) x \(side)")
            try check(
                try fixtures.cjpeg(side, side, ["-sample", "2x1"], scans: "0; 1; 2;\n"), "\(side) x \(side)")
        }
    }

    @Test func largeFlatPictureWithLongRuns() throws {
        // Blocks without AC by the thousand: end-of-band runs of up to 32767 blocks.
        let fixtures = try Fixtures()
        try check(try fixtures.cjpeg(1600, 1200, ["-quality", "1", "-progressive"], isGrey: true), "flat")
    }

    @Test func inks() throws {
        let subsampled = [(2, 2), (1, 1), (1, 1), (2, 2)]
        for isProgressive in [true, false] {
            for isYCCK in [true, false] {
                for sampling in [subsampled, Array(repeating: (1, 1), count: 4)] {
                    let jpeg = try libjpegFile(
                        45, 37, sampling: sampling, isYCCK: isYCCK, isProgressive: isProgressive,
                        alone: !isProgressive)
                    try check(jpeg, "\(isProgressive) \(isYCCK) \(sampling)")
                }
            }
        }
    }

    @Test func rareSampling() throws {
        // More than 10 blocks in an MCU: never interleaved; luma coarser than chroma; factors of 3; a grey 2 x 2.
        let samplings = [
            [(2, 2), (2, 2), (2, 2)], [(1, 1), (2, 2), (2, 2)], [(4, 4), (1, 1), (1, 1)],
            [(3, 1), (1, 1), (1, 1)],
            [(2, 2), (2, 1), (1, 2)], [(2, 2)],
        ]
        for sampling in samplings {
            for isProgressive in [true, false] {
                for restart in [0, 5] {
                    let jpeg = try libjpegFile(
                        75, 67, sampling: sampling, isProgressive: isProgressive, alone: true,
                        restart: restart)
                    try check(jpeg, "\(sampling) \(isProgressive) \(restart)")
                }
            }
        }
    }

    @Test func meansAlone() throws {
        let fixtures = try Fixtures()
        let jpeg = try fixtures.cjpeg(203, 121, ["-progressive", "-quality", "90"])
        let expected = try #require(Coefficients.libjpeg(jpeg)).coefficients
        let got = try Coefficients.lockstep(jpeg, isDCOnly: true)
        for (some, all) in zip(got.components, expected.components) {
            for at in some.indices { #expect(some[at] == (at % 64 == 0 ? all[at] : 0)) }
        }
    }

    @Test func whatThereIsOfACutFile() throws {
        let fixtures = try Fixtures()
        for options in [["-progressive"], ["-progressive", "-restart", "5B"]] {
            let jpeg = try fixtures.cjpeg(150, 110, options + ["-quality", "90"])
            for cut in stride(from: 700, to: jpeg.count, by: 211) {
                let part = Array(jpeg[..<cut])
                guard let expected = Coefficients.libjpeg(part) else { continue }
                #expect(throws: ScanError.truncated) { try Coefficients.lockstep(part) }
                let got = try Coefficients.lockstep(part, mayBeCut: true)
                // Cut at a restart, libjpeg goes on with one MCU of made-up bits: no model.
                if options.count > 1 { continue }
                #expect(got.difference(from: expected.coefficients) == nil, "\(options) cut at \(cut)")
            }
        }
    }

    @Test func damage() throws {
        let fixtures = try Fixtures()
        let whole = try fixtures.cjpeg(120, 90, ["-progressive", "-restart", "9B"])
        var random = SeededGenerator(seed: 11)
        for _ in 0..<400 {
            var jpeg = whole
            for _ in 0...Int(random.next() % 3) {
                jpeg[600 + Int(random.next() % UInt64(jpeg.count - 600))] = UInt8(
                    truncatingIfNeeded: random.next())
            }
            let expected = Coefficients.libjpeg(jpeg)
            let got = try? Coefficients.lockstep(jpeg)
            // What libjpeg takes without a word must be taken, and what is taken must be what libjpeg reads.
            if let expected, expected.warnings == 0 { #expect(got != nil) }
            if let got, let expected { #expect(got.difference(from: expected.coefficients) == nil) }
            if got != nil { #expect(expected != nil) }
        }
    }
}
