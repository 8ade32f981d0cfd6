import AttachmentPrep
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Inputs that are no readable files.
@Suite struct InputTests {
    private func record(_ path: String, timeout: Duration = .seconds(60)) -> PreparationRecord {
        AttachmentPreparer([.small]) { $0.limits.timeout = timeout }
            .record(of: .file(path), into: .file("/nowhere/out.jpg"))
    }

    @Test func missing() {
        let record = record("/nowhere/at/all.jpg")
        #expect(record.outcome == .failed && record.error?.code == .io && record.error?.stage == .input)
    }

    @Test func folder() {
        let scratch = Scratch()
        let record = record(scratch.path)
        #expect(record.outcome == .failed && record.error?.code == .io && record.error?.stage == .input)
        #expect(record.error?.message.contains("folder") == true)
    }

    @Test func closedDescriptor() {
        let scratch = Scratch()
        let record = AttachmentPreparer(profile: .small)
            .record(of: .descriptor(99_999, name: "-"), into: .directory(scratch.path))
        #expect(record.outcome == .failed, "\(record)")
        #expect(scratch.names.isEmpty)
    }

    @Test func descriptorThatCannotBeRead() {
        let scratch = Scratch()
        let descriptor = unsafe open(scratch.file("x"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let record = AttachmentPreparer(profile: .small)
            .record(of: .descriptor(descriptor, name: "-"), into: .directory(scratch.path))
        #expect(record.outcome == .failed && record.error?.code == .io && record.error?.stage == .input)
    }

    /// A FIFO that nobody ever opens for writing ends by the clock.
    @Test func fifoWithoutWriter() {
        let scratch = Scratch()
        let path = scratch.file("fifo")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let record = record(path, timeout: .milliseconds(300))
        #expect(record.outcome == .failed && record.error?.code == .timeLimit, "\(record)")
        #expect(record.elapsedSeconds >= 0.3)
    }

    @Test func fifo() {
        let scratch = Scratch()
        let path = scratch.file("fifo.jpg")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let writer = TestThread {
            let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
            writeAll(Generated.progressive, to: descriptor)
            close(descriptor)
        }
        let record = AttachmentPreparer([.small]) { _ in }
            .record(of: .file(path), into: .directory(scratch.file("out")))
        writer.join()
        #expect(record.outcome == .prepared && record.source?.bytes == Generated.progressive.count)
        #expect(record.source?.claimedExtension == "jpg")
    }

    /// A pipe that stays open does not hold a whole picture back.
    @Test func pipeThatStaysOpen() {
        let scratch = Scratch()
        let pipe = Pipe()
        let writer = TestThread { writeAll(Generated.baseline, to: pipe.writer) }
        let record = AttachmentPreparer([.small]) { $0.limits.timeout = .seconds(600) }
            .record(of: .descriptor(pipe.reader, name: "-"), into: .file(scratch.file("a.jpg")))
        writer.join()
        pipe.closeWriter()
        pipe.closeReader()
        #expect(record.outcome == .prepared && record.elapsedSeconds < 300)
    }

    /// The reader's own descriptor is left open, and where the reading ended.
    @Test func descriptorStaysOpen() {
        let scratch = Scratch()
        let path = scratch.write("a.jpg", Generated.baseline)
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        let record = AttachmentPreparer([.small]) { _ in }
            .record(of: .descriptor(descriptor, name: "a"), into: .directory(scratch.file("out")))
        #expect(record.outcome == .prepared)
        #expect(lseek(descriptor, 0, SEEK_CUR) == off_t(Generated.baseline.count))
        #expect(close(descriptor) == 0)
    }

    @Test func spoolFolder() {
        let run = prepare(Generated.progressive, profile: .small) { $0.spoolDirectory = "/nowhere" }
        #expect(run.record.outcome == .failed && run.code == .io && run.record.error?.stage == .input)
        let scratch = Scratch()
        #expect(
            prepare(Generated.progressive, profile: .small) { $0.spoolDirectory = scratch.path }.code == nil)
        #expect(scratch.names.isEmpty)
        // A file is read in place, and needs no spool.
        let place = prepare(Generated.progressive, profile: .small, .file) { $0.spoolDirectory = "/nowhere" }
        #expect(place.code == nil && place.picture != nil)
    }
}
