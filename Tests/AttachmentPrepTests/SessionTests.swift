import AttachmentPrep
import MediaTypes
import Testing

/// The library's calls as SPEC shows them.
@Suite struct SessionTests {
    @Test func beginPushFinish() throws {
        let scratch = Scratch()
        let preparer = AttachmentPreparer(profile: .small)
        var session = preparer.begin(into: .directory(scratch.path))
        #expect(session.needsMoreInput == true)
        for start in stride(from: 0, to: Generated.baseline.count, by: 512) {
            #expect(session.needsMoreInput == true)
            let chunk = Generated.baseline[start..<min(start + 512, Generated.baseline.count)]
            try session.push(Array(chunk))
        }
        let attachment = try session.finish()
        let bytes = try #require(contents(attachment.path))
        #expect(attachment.path.hasPrefix(scratch.path + "/") && attachment.path.hasSuffix(".jpg"))
        #expect(attachment.format == .jpeg && attachment.typeHint == "public.jpeg")
        #expect(attachment.bytes == bytes.count && attachment.width == 200 && attachment.height == 136)
        #expect(attachment.record.outcome == .prepared && attachment.record.input == "-")
        #expect(attachment.record.source?.bytes == Generated.baseline.count)
        #expect(Picture(jpeg: bytes)?.width == 200)
    }

    @Test func spans() throws {
        let scratch = Scratch()
        var session = AttachmentPreparer(profile: .small).begin(
            named: "x.png", into: .named("x", in: scratch.path))
        let bytes = Generated.png
        try session.push(bytes.span.extracting(0..<100))
        try session.push(bytes.span.extracting(100..<100))
        try session.push(bytes.span.extracting(100..<bytes.count))
        let record = session.record()
        #expect(
            record.outcome == .prepared && record.source?.claimedExtension == "png" && record.warnings == [])
    }

    /// An error is certain: every later call throws it again, and nothing is needed any more.
    @Test func errorsRepeat() {
        let scratch = Scratch()
        var session = AttachmentPreparer(profile: .small).begin(into: .directory(scratch.path))
        var errors: [PrepError] = []
        for chunk in ["<!DOCTYPE html>", "<html>", "more"] {
            do throws(PrepError) { try session.push(Array(chunk.utf8)) } catch { errors.append(error) }
        }
        #expect(errors.count >= 2 && Set(errors).count == 1 && errors.first?.code == .htmlDocument)
        #expect(session.needsMoreInput == false)
        do throws(PrepError) { _ = try session.finish() } catch { errors.append(error) }
        #expect(Set(errors).count == 1 && scratch.names.isEmpty)
    }

    @Test func errorInTheMiddle() {
        var bytes = Generated.png
        for index in 20_000..<20_050 { bytes[index] ^= 0xFF }
        let scratch = Scratch()
        var session = AttachmentPreparer(profile: .small).begin(into: .directory(scratch.path))
        var errors: [PrepError] = []
        for start in stride(from: 0, to: bytes.count, by: 5000) {
            let chunk = Array(bytes[start..<min(start + 5000, bytes.count)])
            do throws(PrepError) { try session.push(chunk) } catch { errors.append(error) }
        }
        #expect(errors.count > 1 && Set(errors).count == 1 && errors.first?.code == .corrupt)
        let record = session.record()
        #expect(record.error == errors.first && record.outcome == .rejected)
        #expect(record.source?.width == 225 && record.memory != nil && scratch.names.isEmpty)
    }

    @Test func finishWithoutBytes() {
        let scratch = Scratch()
        let session = AttachmentPreparer(profile: .small).begin(into: .directory(scratch.path))
        var code: PrepError.Code?
        do throws(PrepError) { _ = try session.finish() } catch { code = error.code }
        #expect(code == .empty)
    }

    /// A file that is read in place need not be pushed; what is pushed is needed to its end, for what follows the
    /// picture may be worth a warning.
    @Test func needsMoreInput() throws {
        let scratch = Scratch()
        var session = AttachmentPreparer(profile: .small).begin(into: .named("a", in: scratch.path))
        try session.push(Generated.progressive)
        #expect(session.needsMoreInput == true)
        #expect(session.record().outcome == .prepared)
    }

    @Test func oneCall() async throws {
        let scratch = Scratch()
        let preparer = AttachmentPreparer(profile: .small)
        let attachment = try await preparer.prepare(
            .file(scratch.write("in.jpg", Generated.progressive)), into: .directory(scratch.file("cache")))
        #expect(contents(attachment.path)?.count == attachment.bytes && attachment.width == 200)
        var code: PrepError.Code?
        do { _ = try await preparer.prepare(.bytes([], name: "x"), into: .directory(scratch.path)) } catch {
            code = error.code
        }
        #expect(code == .empty)
    }

    /// A cancelled task ends its job, though its pipe stays open and silent.
    @Test(.timeLimit(.minutes(2))) func taskCancellation() async {
        let scratch = Scratch()
        let pipe = Pipe()
        writeAll(Array(Generated.baseline[..<3000]), to: pipe.writer)
        let folder = scratch.path
        let preparer = AttachmentPreparer([.small]) { _ in }
        let task = Task { () -> PrepError.Code? in
            do throws(PrepError) {
                _ = try await preparer.prepare(
                    .descriptor(pipe.reader, name: "-"), into: .directory(folder))
                return nil
            } catch {
                return error.code
            }
        }
        let canceller = TestThread {
            pause(milliseconds: 100)
            task.cancel()
        }
        let code = await task.value
        canceller.join()
        pipe.closeWriter()
        pipe.closeReader()
        #expect(code == .cancelled && scratch.names.isEmpty)
    }
}
