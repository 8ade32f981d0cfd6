// The real program, seen from outside.

/// One run of `attachprep prepare`, as GNU time and its record tell of it.
struct Outside {
    /// The record as the program printed it.
    let json: String
    /// Peak resident bytes of the process.
    let peak: Int
    /// Seconds of CPU in the program itself.
    let seconds: Double

    static let isMeasurable = isThorough && shell("test -x /usr/bin/time").status == 0

    /// Prepares the file at `path`, or what `command` writes into a pipe.
    init?(_ path: String, _ options: String = "", from command: String? = nil) {
        let scratch = Scratch()
        let report = scratch.file("cost")
        let program = (CommandLine.arguments[0].split(separator: "/").dropLast() + ["attachprep"])
            .joined(separator: "/")
        let run = shell(
            (command.map { "\($0) 2> /dev/null | " } ?? "") + "/usr/bin/time -f '%M %U %S' -o \(report) "
                + "/\(program) prepare \(path) --output \(scratch.path) --json --timeout 900 \(options) 2> /dev/null")
        // GNU time says first if a command failed.
        let words = String(decoding: contents(report) ?? [], as: UTF8.self)
            .split(separator: "\n").last?.split(separator: " ") ?? []
        guard words.count == 3, let kibibytes = Int(words[0]), let user = Double(words[1]),
            let system = Double(words[2])
        else { return nil }
        json = run.text
        peak = kibibytes * 1024
        seconds = user + system
    }

    init?(_ bytes: [UInt8], _ options: String = "") {
        let scratch = Scratch()
        self.init(scratch.write("input", bytes), options)
    }

    /// The error's code; nil where there is none.
    var code: String? {
        json.firstRange(of: "\"code\":\"").map { String(json[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    /// What `memory` says of the need.
    var need: Int? {
        json.firstRange(of: "\"need\":").flatMap { Int(json[$0.upperBound...].prefix { $0.isNumber }) }
    }

    /// What the program takes for a picture that takes nothing.
    static let least = (1...3).compactMap { _ in
        Outside(PNGParts(width: 1, height: 1) { _, _ in [1, 2, 3] }.bytes)?.peak
    }.max()

    /// Peak above that.
    var grown: Int { peak - (Self.least ?? 0) }
}
