import AttachmentPrep
import Testing

/// Ceilings, each met exactly and passed by one.
@Suite struct LimitTests {
    private static let input = Photos.kitten.jpeg("-quality 85")

    @Test(arguments: [Arrival.whole, .file, .pieces(100)]) func pixels(arrival: Arrival) {
        let pixels = 225 * 153
        #expect(prepare(Self.input, profile: .small, arrival) { $0.limits.pixels = pixels }.code == nil)
        let run = prepare(Self.input, profile: .small, arrival) { $0.limits.pixels = pixels - 1 }
        #expect(run.code == .tooManyPixels && run.record.outcome == .rejected && run.picture == nil)
        #expect(run.record.error?.stage == .admission && run.record.error?.code.httpStatus == 422)
        // What is known stays in the record.
        #expect(run.record.source?.width == 225 && run.record.source?.height == 153)
    }

    /// What a header alone says is refused before a byte of picture.
    @Test func hugeHeader() {
        var frame = Self.input
        let start = frame.indices.first { frame[$0] == 0xFF && frame[$0 + 1] == 0xC0 } ?? 0
        // 65,500 a side, the most that libjpeg takes, then the 65,535 of the format.
        frame.replaceSubrange((start + 5)..<(start + 9), with: [0xFF, 0xDC, 0xFF, 0xDC])
        let run = prepare(frame, profile: .small)
        #expect(run.code == .tooManyPixels && run.record.source?.width == 65_500)
        frame.replaceSubrange((start + 5)..<(start + 9), with: [255, 255, 0, 1])
        #expect(prepare(frame, profile: .small).code == .tooManyPixels)
        let png =
            PNGParts.signature
            + PNGParts.chunk(
                "IHDR", PNGParts.big(0x7FFF_FFFF) + PNGParts.big(0x7FFF_FFFF) + [16, 6, 0, 0, 0])
            + PNGParts.chunk("IDAT", [0x78, 1])
        #expect(prepare(png, profile: .small).code == .tooManyPixels)
    }

    @Test func memory() throws {
        for input in [Self.input, Generated.progressive, Generated.png] {
            let need = try #require(prepare(input, profile: .small).record.memory?.need)
            let exact = prepare(input, profile: .small) { $0.limits.memory = need }
            #expect(exact.code == nil && exact.record.memory == .init(need: need, limit: need))
            let less = prepare(input, profile: .small) { $0.limits.memory = need - 1 }
            #expect(less.code == .memoryLimit && less.record.outcome == .rejected && less.picture == nil)
            #expect(less.record.error?.stage == .admission && less.record.error?.code.httpStatus == 422)
        }
    }

    /// A budget far above the input asks for no memory: what could pass is no larger than the input may be.
    @Test func hugeBudget() throws {
        for budget in [1_000_000_000, Int.max] {
            let run = prepare(Self.input) { $0.maxBytes = budget }
            #expect(run.record.outcome == .passedThrough, "\(run.record)")
            let unlimited = prepare(Self.input) {
                $0.maxBytes = budget
                $0.limits.inputBytes = .max
                $0.limits.memory = .max
            }
            #expect(unlimited.record.outcome == .passedThrough)
        }
    }

    @Test(arguments: [Arrival.whole, .file, .pipe, .pieces(1000)]) func inputBytes(arrival: Arrival) {
        for input in [Self.input, Generated.progressive, Generated.png] {
            let exact = prepare(input, profile: .small, arrival) { $0.limits.inputBytes = input.count }
            #expect(exact.code == nil)
            let run = prepare(input, profile: .small, arrival) { $0.limits.inputBytes = input.count - 1 }
            #expect(run.code == .inputTooLarge && run.record.outcome == .rejected && run.picture == nil)
            #expect(run.record.error?.code.httpStatus == 413 && run.record.error?.stage == .input)
        }
    }

    /// DC for all, then every luma coefficient in a scan of its own: 1 + 63 + 2 scans.
    @Test(arguments: [Arrival.whole, .file]) func scans(arrival: Arrival) {
        let scratch = Scratch()
        let script =
            "0,1,2: 0-0, 0, 0;\n" + (1...63).map { "0: \($0)-\($0), 0, 0;\n" }.joined()
            + "1: 1-63, 0, 0;\n2: 1-63, 0, 0;\n"
        let path = scratch.write("scans", Array(script.utf8))
        let input = Photos.kitten.jpeg("-quality 60 -scans \(path)")
        #expect(JPEGParts.list(input)?.count { $0.marker == 0xDA } == 66)
        #expect(prepare(input, profile: .small, arrival).code == nil)
        #expect(prepare(input, profile: .small, arrival) { $0.limits.scans = 66 }.code == nil)
        let run = prepare(input, profile: .small, arrival) { $0.limits.scans = 65 }
        #expect(run.code == .tooManyScans && run.record.outcome == .rejected && run.picture == nil)
        #expect(run.record.error?.code.httpStatus == 422)
    }

    @Test(arguments: [Arrival.whole, .file, .pipe]) func noTime(arrival: Arrival) {
        let run = prepare(Self.input, profile: .small, arrival) { $0.limits.timeout = .zero }
        #expect(run.code == .timeLimit && run.record.outcome == .failed && run.picture == nil)
        #expect(run.record.error?.code.httpStatus == 503)
        #expect(prepare(Self.input, profile: .small, arrival) { $0.limits.timeout = nil }.code == nil)
    }
}

/// A raised flag ends a job wherever it stands.
@Suite struct CancellationTests {
    private static let input = Photos.kitten.jpeg("-quality 85")

    @Test func before() {
        let scratch = Scratch()
        let cancellation = Cancellation()
        cancellation.cancel()
        for source in [AttachmentSource.bytes(Self.input, name: "x"), .file(Photos.path("rocket-small.jpg"))]
        {
            let record = AttachmentPreparer(profile: .small)
                .record(of: source, into: .directory(scratch.path), cancellation: cancellation)
            #expect(record.outcome == .failed && record.error?.code == .cancelled)
        }
        #expect(scratch.names.isEmpty && cancellation.isCancelled)
    }

    /// From another thread, while half of the input is there and the pipe stays open.
    @Test(arguments: [0, 1, 2, 3]) func during(kind: Int) {
        let scratch = Scratch()
        let bytes = [Self.input, Generated.progressive, Generated.png, []][kind]
        let pipe = Pipe()
        let cancellation = Cancellation()
        let record = Monitor<PreparationRecord?>(nil)
        let job = TestThread {
            let result = AttachmentPreparer([.small]) { _ in }.record(
                of: .descriptor(pipe.reader, name: "-"), into: .directory(scratch.path),
                cancellation: cancellation)
            record.update { $0 = result }
        }
        writeAll(Array(bytes[..<(bytes.count / 2)]), to: pipe.writer)
        pause(milliseconds: 150)
        #expect(record.update { $0 } == nil)
        cancellation.cancel()
        job.join()
        pipe.closeWriter()
        pipe.closeReader()
        let result = record.update { $0 }
        #expect(result?.outcome == .failed && result?.error?.code == .cancelled)
        #expect(result?.outputs.isEmpty == true && scratch.names.isEmpty)
    }

    @Test func betweenPushes() {
        let scratch = Scratch()
        let cancellation = Cancellation()
        var session = AttachmentPreparer(profile: .small).begin(
            into: .directory(scratch.path), cancellation: cancellation)
        #expect(throws: Never.self) { try session.push(Array(Self.input[..<1000])) }
        cancellation.cancel()
        var code: PrepError.Code?
        do { try session.push(Array(Self.input[1000...])) } catch { code = error.code }
        #expect(code == .cancelled)
        let record = session.record()
        #expect(record.error?.code == .cancelled && record.outcome == .failed && scratch.names.isEmpty)
    }

    /// After the last byte and before the end.
    @Test func beforeTheEnd() {
        let scratch = Scratch()
        let cancellation = Cancellation()
        var session = AttachmentPreparer(profile: .small).begin(
            into: .directory(scratch.path), cancellation: cancellation)
        #expect(throws: Never.self) { try session.push(Self.input) }
        cancellation.cancel()
        #expect(session.record().error?.code == .cancelled && scratch.names.isEmpty)
    }
}
