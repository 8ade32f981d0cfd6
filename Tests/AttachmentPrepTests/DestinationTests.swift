import AttachmentPrep
import MediaTypes
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where outputs lie, and what becomes of what lay there before.
@Suite struct DestinationTests {
    private static let input = Photos.kitten.jpeg("-quality 85")

    private func record(
        _ destination: AttachmentDestination, _ profiles: [Profile] = [.small], bytes: [UInt8] = input
    ) -> PreparationRecord {
        AttachmentPreparer(profiles) { _ in }.record(of: .bytes(bytes, name: "x.jpg"), into: destination)
    }

    @Test func named() throws {
        let scratch = Scratch()
        let folder = scratch.file("new/folder")
        #expect(record(.named("a.b", in: folder)).outputs.map(\.path) == ["\(folder)/a.b.jpg"])
        let several = record(.named("2024/IMG_1", in: folder), [.small, .icon, .thumb])
        #expect(
            several.outputs.map(\.path)
                == ["small", "icon", "thumb"].map { "\(folder)/2024/IMG_1-\($0).jpg" })
        #expect(
            scratch.names == [
                "new/folder/2024/IMG_1-icon.jpg", "new/folder/2024/IMG_1-small.jpg",
                "new/folder/2024/IMG_1-thumb.jpg", "new/folder/a.b.jpg",
            ])
    }

    @Test(arguments: [
        ("a.jpg", "a.jpg"), ("a.JPEG", "a.JPEG"), ("a.png", "a.jpg"), ("a", "a.jpg"),
        (".hidden", ".hidden.jpg"),
        ("a.tar.gz", "a.tar.jpg"), ("ümlaut 1.heic", "ümlaut 1.jpg"),
    ]) func file(asked: String, written: String) throws {
        let scratch = Scratch()
        let record = record(.file(scratch.file(asked)))
        #expect(record.outputs.first?.path == scratch.file(written))
        let bytes = try #require(contents(scratch.file(written)))
        #expect(bytes.count == record.outputs.first?.bytes && Picture(jpeg: bytes) != nil)
        #expect(scratch.names == [written])
    }

    @Test func modeFollowsTheMask() throws {
        let scratch = Scratch()
        #expect(record(.file(scratch.file("a.jpg"))).outcome == .prepared)
        // A command inherits the mask.
        let mask = try #require(mode_t(shell("umask").text.filter(\.isNumber), radix: 8))
        #expect(mode(scratch.file("a.jpg")) == 0o666 & ~mask)
    }

    @Test func descriptor() throws {
        let scratch = Scratch()
        let path = scratch.file("out")
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let record = record(.descriptor(descriptor))
        close(descriptor)
        #expect(record.outcome == .prepared && record.outputs.first?.path == nil)
        #expect(record.outputs.first?.error == nil)
        #expect(contents(path)?.count == record.outputs.first?.bytes)
        #expect(contents(path) == prepare(Self.input, profile: .small).picture)
    }

    @Test func fullDevice() throws {
        let descriptor = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let record = record(.descriptor(descriptor))
        #expect(record.outcome == .failed && record.error?.code == .noSpace && record.error?.stage == .output)
        #expect(record.outputs.first?.error == record.error && record.outputs.first?.bytes == nil)
    }

    /// Errors of the output leave nothing behind, and spare what was there.
    @Test func errorsLeaveNothing() throws {
        let scratch = Scratch()
        scratch.write("plain", [1, 2, 3])
        shell("mkdir -p \(scratch.path)/taken.jpg/inside")
        let destinations: [AttachmentDestination] = [
            .file(scratch.file("taken.jpg")), .named("taken", in: scratch.path),
            .file(scratch.file("plain/a.jpg")), .directory(scratch.file("plain")),
            .file(scratch.file(String(repeating: "n", count: 300) + ".jpg")),
        ]
        for destination in destinations {
            let record = record(destination)
            #expect(record.outcome == .failed && record.error?.code == .io, "\(record)")
            #expect(record.error?.stage == .output && record.outputs.first?.path == nil)
        }
        #expect(scratch.names == ["plain"])
        #expect(contents(scratch.file("plain")) == [1, 2, 3])
        #expect(record(.file("/proc/nowhere/a.jpg")).error?.code == .io)
    }

    @Test func unwritableFolder() throws {
        // The superuser may write anywhere.
        guard geteuid() != 0 else { return }
        let scratch = Scratch()
        shell("chmod 555 \(scratch.path)")
        defer { shell("chmod 755 \(scratch.path)") }
        let record = record(.file(scratch.file("a.jpg")))
        #expect(record.outcome == .failed && record.error?.code == .io && scratch.names.isEmpty)
    }

    @Test func oneOfTwoOutputsFails() throws {
        let scratch = Scratch()
        shell("mkdir -p \(scratch.path)/a-icon.jpg")
        let record = record(.named("a", in: scratch.path), [.small, .icon])
        #expect(record.outputs.map(\.outcome) == [.prepared, .failed])
        #expect(record.outcome == .failed && record.error?.code == .io)
        #expect(record.outputs[0].path == scratch.file("a-small.jpg") && scratch.names == ["a-small.jpg"])
    }

    /// Somebody who reads while outputs are replaced sees the old file or the new one, whole.
    @Test func replacedAtomically() throws {
        let scratch = Scratch()
        let path = scratch.file("out.jpg")
        let pictures = [Self.input, Photos.kitten.jpeg("-quality 50")]
        let whole = pictures.map { prepare($0, profile: .small).picture }
        #expect(whole[0] != nil && whole[1] != nil && whole[0] != whole[1])
        _ = record(.file(path))
        let isOver = Atomic(false)
        let seen = Monitor<[Int]>([0, 0, 0])
        let reader = TestThread {
            while !isOver.load(ordering: .relaxed) {
                let bytes = contents(path)
                let index = whole.firstIndex(of: bytes) ?? 2
                seen.update { $0[index] += 1 }
            }
        }
        for round in 0..<16 { #expect(record(.file(path), bytes: pictures[round % 2]).outcome == .prepared) }
        isOver.store(true, ordering: .relaxed)
        reader.join()
        let counts = seen.update { $0 }
        #expect(counts[2] == 0 && counts[0] > 0 && counts[1] > 0, "\(counts)")
        #expect(scratch.names == ["out.jpg"])
    }

    /// Temporary files of a process of the same number, in another container or killed before: neither used
    /// nor removed.
    @Test func foreignTemporaryFiles() {
        let scratch = Scratch()
        let name = ".attachprep-\(getpid())-%.0f.tmp"
        shell("cd \(scratch.path) && seq -f '\(name)' 0 3999 | xargs touch")
        #expect(record(.file(scratch.file("out.jpg"))).outcome == .prepared)
        #expect(shell("ls -A \(scratch.path) | grep -c tmp").text.filter(\.isNumber) == "4000")
    }

    /// Two jobs at once for one name both end well.
    @Test func twoJobsForOneName() {
        let scratch = Scratch()
        let path = scratch.file("out.jpg")
        let outcomes = Monitor<[Outcome]>([])
        onThreads(4) { _ in
            let outcome = AttachmentPreparer([.small]) { _ in }
                .record(of: .bytes(Self.input, name: "x"), into: .file(path)).outcome
            outcomes.update { $0.append(outcome) }
        }
        #expect(outcomes.update { $0 } == [.prepared, .prepared, .prepared, .prepared])
        #expect(contents(path) == prepare(Self.input, profile: .small).picture)
        #expect(scratch.names == ["out.jpg"])
    }
}
