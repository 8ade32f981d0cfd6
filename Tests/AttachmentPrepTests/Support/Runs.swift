import AttachmentPrep

/// One job: what it said, and what it wrote.
struct Run: Equatable {
    var record: PreparationRecord
    /// The bytes of each output, in the record's order.
    var pictures: [[UInt8]?]
    var picture: [UInt8]? { pictures.first ?? nil }
    var output: PreparationRecord.Output? { record.outputs.first }
    var code: PrepError.Code? { record.error?.code }

    /// The record without what no two runs share: the time.
    var timeless: PreparationRecord {
        var record = record
        record.elapsedSeconds = 0
        return record
    }

    /// Collects what a job left in `folder`; paths are given relative to it.
    init(_ record: PreparationRecord, in folder: Scratch) {
        self.record = record
        pictures = record.outputs.map { $0.path.flatMap(contents) }
        for index in record.outputs.indices {
            self.record.outputs[index].path = record.outputs[index].path.map {
                $0.hasPrefix(folder.path) ? String($0.dropFirst(folder.path.count + 1)) : $0
            }
        }
    }
}

/// How the bytes come.
enum Arrival: Hashable, CustomStringConvertible {
    case whole
    case pieces(Int)
    case file
    case pipe

    var description: String {
        switch self {
        case .whole: "in memory"
        case .pieces(let size): "in pieces of \(size)"
        case .file: "as a file"
        case .pipe: "through a pipe"
        }
    }
}

extension AttachmentPreparer {
    init(_ profiles: [Profile], _ change: (inout PreparationOptions) -> Void) {
        var options = PreparationOptions()
        // Under sanitizers on a busy machine the usual 20 s would be part of the test.
        options.limits.timeout = .seconds(600)
        change(&options)
        self.init(profiles: profiles, options: options)
    }

    /// Runs one job into a folder of its own, with `out` as the output's name.
    func run(_ bytes: [UInt8], name: String = "input", _ arrival: Arrival = .whole) -> Run {
        let scratch = Scratch()
        let destination = AttachmentDestination.named("out", in: scratch.path)
        let record: PreparationRecord
        switch arrival {
        case .whole: record = self.record(of: .bytes(bytes, name: name), into: destination)
        case .pieces(let size): record = push(bytes, name: name, inPiecesOf: size, into: destination)
        case .file:
            let input = Scratch()
            record = self.record(of: .file(input.write(name, bytes)), into: destination)
        case .pipe: record = pipe(bytes, name: name, into: destination)
        }
        return Run(record, in: scratch)
    }

    /// Pushes everything; errors stay in the record.
    func push(
        _ bytes: [UInt8], name: String, inPiecesOf size: Int, into destination: AttachmentDestination
    ) -> PreparationRecord {
        var session = begin(named: name, into: destination)
        for start in stride(from: 0, to: bytes.count, by: size) where session.needsMoreInput {
            try? session.push(bytes.span.extracting(start..<min(start + size, bytes.count)))
        }
        return session.record()
    }

    /// Feeds everything through a pipe from another thread.
    func pipe(_ bytes: [UInt8], name: String, into destination: AttachmentDestination) -> PreparationRecord {
        let pipe = Pipe()
        let writer = TestThread {
            writeAll(bytes, to: pipe.writer)
            pipe.closeWriter()
        }
        let record = self.record(of: .descriptor(pipe.reader, name: name), into: destination)
        pipe.closeReader()
        writer.join()
        return record
    }
}

/// Runs one job with one profile.
func prepare(
    _ bytes: [UInt8], name: String = "input", profile: Profile = .apns, _ arrival: Arrival = .whole,
    _ change: (inout PreparationOptions) -> Void = { _ in }
) -> Run {
    AttachmentPreparer([profile], change).run(bytes, name: name, arrival)
}

extension Profile {
    /// A box this small keeps most jobs of the tests short.
    static let small = Profile(name: "small", width: 200, height: 200, maxBytes: 100_000)
}
