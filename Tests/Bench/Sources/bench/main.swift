internal import Glibc

/// Runs what was asked for and prints the tables; false when a limit was missed.
func bench(_ words: [String]) throws(BenchError) -> Bool {
    let arguments = try Arguments(words)
    if arguments.help {
        write(Arguments.usage, to: 1)
        return true
    }
    guard exists(arguments.attachprep) else {
        throw BenchError("no program at \(arguments.attachprep): build it, or give --attachprep PATH")
    }
    try makeFolder(arguments.cache)
    // vipsthumbnail takes a relative output as one beside its input.
    let cache = unsafe realpath(arguments.cache, nil).map { unsafe String(cString: $0) } ?? arguments.cache
    let outputs = try temporaryFile() + ".d"
    try makeFolder(outputs)
    defer { _ = try? run(Command("rm", ["-rf", outputs, String(outputs.dropLast(2))])) }

    let pictures = Pictures(
        cache: cache, photographs: arguments.photographs, samples: arguments.samples)
    let cases = Cases(arguments: arguments, pictures: pictures, outputs: outputs)
    var holds = true
    for which in arguments.cases {
        let report = try cases.report(which)
        write(report.markdown, to: 1)
        holds = holds && report.holds
    }
    write(
        "\n\(arguments.pairs) interleaved pairs; pictures from \(arguments.photographs ?? "the tiled sample").\n",
        to: 1)
    return holds || !arguments.check
}

do throws(BenchError) {
    exit(try bench(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
} catch {
    write("bench: \(error.message)\n", to: 2)
    exit(2)
}
