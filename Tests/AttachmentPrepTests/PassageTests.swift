import AttachmentPrep
import MediaTypes
import Testing

/// Audio and video, which pass as they are under one profile.
@Suite struct PassageTests {
    /// A RIFF wave of that many bytes with a note in it, and without.
    private static func wave(_ size: Int, hasNote: Bool = true) -> [UInt8] {
        func le(_ value: Int, _ size: Int = 4) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let format = le(1, 2) + le(1, 2) + le(8000) + le(8000) + le(1, 2) + le(8, 2)
        let samples = (0..<(size - 44)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let note = hasNote ? Array("LIST".utf8) + le(12) + Array("INFOINAMHome".utf8) : []
        let head = Array("WAVEfmt ".utf8) + le(16) + format + note + Array("data".utf8) + le(samples.count)
        let content = head + samples
        return Array("RIFF".utf8) + le(content.count) + content
    }

    private static let input = wave(5000)
    private static let expected = wave(5000, hasNote: false)

    @Test(arguments: [Arrival.whole, .pieces(1), .pieces(999), .file, .pipe]) func passes(arrival: Arrival)
        throws
    {
        let run = prepare(Self.input, name: "note.wav", arrival)
        #expect(
            run.picture == Self.expected && run.record.outcome == .passedThrough && run.record.error == nil)
        let output = try #require(run.output)
        #expect(output.path == "out.wav" && output.bytes == 5000 && output.format == .wav)
        #expect(output.typeHint == "com.microsoft.waveform-audio" && output.fileExtension == "wav")
        #expect(
            output.width == nil && output.height == nil && output.sizeRatio == nil && output.encoding == nil)
        #expect(run.record.warnings == [.metadataRemoved] && run.record.source?.bytes == Self.input.count)
        #expect(run.record.source?.format == .wav && run.record.source?.typeMismatch == false)
        let memory = try #require(run.record.memory)
        #expect(memory.need <= 16 << 20 && memory.need > 0)
    }

    @Test(arguments: [Profile.thumb, .fcm, .huawei, .icon]) func otherProfilesRefuse(profile: Profile) {
        let run = prepare(Self.input, profile: profile)
        #expect(run.code == .unsupportedFormat && run.record.outcome == .rejected && run.picture == nil)
        #expect(run.record.error?.message.contains("apns") == true && run.record.source?.format == .wav)
    }

    /// Each profile has its own answer, and the record the worst of them.
    @Test func severalProfiles() {
        let scratch = Scratch()
        let record = AttachmentPreparer(profiles: [.thumb, .apns]).record(
            of: .bytes(Self.input, name: "a"), into: .named("a", in: scratch.path))
        #expect(record.outputs.map(\.outcome) == [.rejected, .passedThrough] && record.outcome == .rejected)
        #expect(record.outputs[0].error?.code == .unsupportedFormat && record.outputs[0].path == nil)
        #expect(record.error == record.outputs[0].error && scratch.names == ["a-apns.wav"])
        #expect(contents(scratch.file("a-apns.wav")) == Self.expected)
    }

    // MARK: Ceilings

    /// Apple's limit for sound, to the byte; the note does not count, for it is not in the output.
    @Test func ceilingOfTheType() {
        #expect(prepare(Self.wave(5_000_000)).output?.bytes == 5_000_000)
        let run = prepare(Self.wave(5_000_002))
        #expect(run.code == .overLimit && run.record.outcome == .rejected && run.picture == nil)
        #expect(run.record.error?.detail == "limit 5000000 bytes")
    }

    @Test func ceilingOfTheOption() {
        #expect(prepare(Self.input) { $0.maxBytes = 5000 }.picture == Self.expected)
        #expect(prepare(Self.input) { $0.maxBytes = 4999 }.code == .overLimit)
        // It can only lower the type's.
        #expect(prepare(Self.wave(5_000_002)) { $0.maxBytes = 9_000_000 }.code == .overLimit)
    }

    /// It is noticed while bytes come, not when all have come.
    @Test func ceilingWhileStreaming() {
        let scratch = Scratch()
        var options = PreparationOptions()
        options.maxBytes = 10_000
        var session = AttachmentPreparer(options: options).begin(into: .named("a", in: scratch.path))
        var pushed = 0
        let input = Self.wave(1_000_000)
        do throws(PrepError) {
            for start in stride(from: 0, to: input.count, by: 1000) {
                try session.push(Array(input[start..<min(start + 1000, input.count)]))
                pushed += 1000
            }
        } catch {
            #expect(error.code == .overLimit)
        }
        #expect(pushed <= 11_000 && !session.needsMoreInput)
        #expect(session.record().outcome == .rejected && scratch.names.isEmpty)
    }

    /// Sound in a film's container has the limit of sound.
    @Test func tracksDecideTheCeiling() {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            let size = content.count + 8
            return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + Array(type.utf8) + content
        }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        func film(_ handler: String, _ size: Int) -> [UInt8] {
            let entry = box(handler == "soun" ? "mp4a" : "mp4v", zeros(7) + [1] + zeros(70))
            let tables = ["stsc", "stco"].map { box($0, zeros(8)) } + [box("stsz", zeros(12))]
            let table = box("stbl", box("stsd", zeros(7) + [1] + entry) + tables.flatMap(\.self))
            let media = box(
                "mdia", box("hdlr", zeros(8) + Array(handler.utf8) + zeros(13)) + box("minf", table))
            let movie = box("moov", box("trak", box("tkhd", zeros(84)) + media))
            let head = box("ftyp", Array("mp42".utf8) + zeros(4)) + movie
            return head + box("mdat", zeros(size - head.count - 8))
        }
        #expect(prepare(film("soun", 5_000_000)).output?.format == .m4a)
        let over = prepare(film("soun", 5_000_001))
        #expect(over.code == .overLimit && over.record.error?.detail == "limit 5000000 bytes")
        #expect(prepare(film("vide", 5_000_001)).output?.format == .mp4)
    }

    /// Frames of a byte each: their index is four times as large as they are, which shows early.
    @Test func indexCounts() {
        let scratch = Scratch()
        let frames = [[UInt8]](repeating: [0xFF, 0xF1, 0x50, 0x80, 1, 0x1F, 0xFC, 9], count: 10_000).flatMap(
            \.self)
        var options = PreparationOptions()
        options.maxBytes = 500_000
        var session = AttachmentPreparer(options: options).begin(into: .named("a", in: scratch.path))
        var pushed = 0
        while pushed < 300_000, session.needsMoreInput {
            do { try session.push(frames) } catch { #expect(error.code == .overLimit) }
            pushed += 10_000
        }
        // Five bytes of output for each frame.
        #expect((100_000...150_000).contains(pushed))
        #expect(session.record().outcome == .rejected && scratch.names.isEmpty)
    }

    // MARK: Places

    @Test func names() throws {
        let scratch = Scratch()
        let preparer = AttachmentPreparer()
        let source = AttachmentSource.bytes(Self.input, name: "x")
        // A result of another type replaces the suffix.
        let file = preparer.record(of: source, into: .file(scratch.file("new/push.jpg")))
        #expect(file.outputs.first?.path == scratch.file("new/push.wav"))
        let content = preparer.record(of: source, into: .directory(scratch.file("cache")))
        let path = try #require(content.outputs.first?.path)
        #expect(path.hasSuffix(".wav") && contents(path) == Self.expected)
        #expect(
            preparer.push(Self.input, name: "y", inPiecesOf: 7, into: .directory(scratch.file("cache")))
                .outputs.first?.path == path)
        #expect(scratch.names.count == 2 && scratch.names.last == "new/push.wav")
        #expect(shell("find \(scratch.path) -name '.attachprep*'").output.isEmpty)
    }

    @Test func modeFollowsTheMask() throws {
        let scratch = Scratch()
        _ = AttachmentPreparer().record(of: .bytes(Self.input, name: "x"), into: .file(scratch.file("a.wav")))
        let mask = try #require(UInt32(shell("umask").text.filter(\.isNumber), radix: 8))
        #expect(mode(scratch.file("a.wav")) == 0o666 & ~mask)
    }

    @Test func descriptor() throws {
        let pipe = Pipe()
        let record = AttachmentPreparer().record(
            of: .bytes(Self.input, name: "x"), into: .descriptor(pipe.writer))
        pipe.closeWriter()
        #expect(record.outcome == .passedThrough && record.outputs.first?.path == nil)
        #expect(contents("/proc/self/fd/\(pipe.reader)") == Self.expected)
        pipe.closeReader()
    }

    /// What lay there before is replaced only by a whole output.
    @Test func refusalsLeaveNothing() {
        let scratch = Scratch()
        scratch.write("a.wav", [1, 2, 3])
        let cut = Array(Self.input.dropLast(1000))
        for (bytes, code) in [(cut, PrepError.Code.truncated), (Self.wave(5_000_002), .overLimit)] {
            for folder in ["", "/new/folder"] {
                let record = AttachmentPreparer().record(
                    of: .bytes(bytes, name: "x"), into: .named("a", in: scratch.path + folder))
                #expect(record.error?.code == code && record.outputs.isEmpty)
            }
        }
        #expect(scratch.names == ["a.wav"] && contents(scratch.file("a.wav")) == [1, 2, 3])
        #expect(shell("ls -A \(scratch.path)").text == "a.wav\n")
    }

    @Test func unwritablePlaces() {
        let scratch = Scratch()
        scratch.write("plain", [1])
        shell("mkdir -p \(scratch.path)/taken.wav")
        let destinations: [AttachmentDestination] = [
            .named("taken", in: scratch.path), .file(scratch.file("plain/a.wav")),
            .file("/proc/nowhere/a.wav"),
            .file(scratch.file(String(repeating: "n", count: 300) + ".wav")),
        ]
        for destination in destinations {
            let record = AttachmentPreparer().record(of: .bytes(Self.input, name: "x"), into: destination)
            #expect(record.outcome == .failed && record.error?.code == .io && record.error?.stage == .output)
        }
        #expect(scratch.names == ["plain"])
    }

    // MARK: Limits

    @Test func cancelled() {
        for pushed in [100, Self.input.count] {
            let scratch = Scratch()
            let cancellation = Cancellation()
            var session = AttachmentPreparer().begin(
                into: .named("a", in: scratch.path), cancellation: cancellation)
            #expect(throws: Never.self) { try session.push(Array(Self.input[..<pushed])) }
            cancellation.cancel()
            #expect(session.record().error?.code == .cancelled && scratch.names.isEmpty)
        }
    }

    @Test func limits() {
        #expect(prepare(Self.input) { $0.limits.inputBytes = 3000 }.code == .inputTooLarge)
        #expect(prepare(Self.input, .pipe) { $0.limits.inputBytes = 3000 }.code == .inputTooLarge)
        #expect(
            prepare(Self.wave(1_000_000), .pieces(100)) { $0.limits.timeout = .milliseconds(1) }.code
                == .timeLimit)
    }

    /// Two kinds of MPEG video have one word, and names of their own.
    @Test func elementaryStreams() {
        let size: [UInt8] = [0, 0, 1, 0xB3, 0x14, 0, 0xF0, 0x13, 0xFF, 0xFF, 0xE0, 0]
        let first = size + [0, 0, 1, 0xB8, 0, 8, 0, 0x40, 0, 0, 1, 0] + [UInt8](repeating: 9, count: 500)
        let second = size + [0, 0, 1, 0xB5, 0x14, 0x82, 0, 1, 0, 0] + [UInt8](repeating: 9, count: 500)
        let one = prepare(first)
        let two = prepare(second)
        #expect(
            one.picture == first && one.output?.path == "out.mpg" && one.output?.typeHint == "public.mpeg")
        #expect(
            two.picture == second && two.output?.path == "out.m2v"
                && two.output?.typeHint == "public.mpeg-2-video")
        #expect(one.output?.format == .mpegES && two.output?.format == .mpegES)
    }

    /// What only a later byte tells decides, however early the rewriting began.
    @Test(arguments: [Arrival.whole, .pieces(1), .pieces(50)]) func flacBehindTag(arrival: Arrival) {
        let bytes =
            Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 100] + [UInt8](repeating: 0, count: 100)
            + Array("fLaC".utf8)
        let run = prepare(bytes + [UInt8](repeating: 0, count: 5000), arrival)
        #expect(run.code == .unsupportedFormat && run.record.source?.format == .flac && run.picture == nil)
    }
}
