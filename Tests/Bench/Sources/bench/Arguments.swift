/// What was asked for.
struct Arguments {
    var cases: [Case] = []
    var attachprep = ".build/release/attachprep"
    var photographs: String?
    var samples = "Samples/photos"
    var cache = "Tests/Bench/.build/pictures"
    var pairs = 9
    /// Of the memory table, in megapixels.
    var sizes = [11, 45]
    var check = false
    var help = false

    /// The measurements there are.
    enum Case: String, CaseIterable {
        case job, batch, memory, profiles
    }

    static let usage = """
        usage: swift run -c release --package-path Tests/Bench bench [CASE...] [OPTION...]

        Measures whole processes from outside and prints Markdown tables; run it from the top of the repository.

          job       CPU of one job against djpeg's and vipsthumbnail's (11 and 22 megapixels)
          batch     pictures a second over 40 uploads, two jobs, against two vipsthumbnail processes
          memory    peak resident size, CPU and fidelity over the structures of a file; idle size and start-up
          profiles  CPU of two profiles from one decode against one

          --attachprep PATH   the program (default .build/release/attachprep)
          --photos DIR        photographs, kitten-on-lawn.jpg among them (default: sample pictures, tiled)
          --samples DIR       default Samples/photos
          --cache DIR         made pictures (default Tests/Bench/.build/pictures; 1 GB for all cases; 6 GB with --large)
          --large             memory at 11, 45, 100 and 200 megapixels, not at 11 and 45 only; making the inputs
                              takes 10 minutes and 4 GB of memory
          --sizes 11,45,...   memory at these of the four sizes
          --pairs N           interleaved pairs (default and least for figures to quote: 9)
          --check             exit status 1 when a limit is missed

        Needs djpeg, cjpeg, jpegtran, vips, vipsthumbnail and GNU time (Debian: libjpeg-turbo-progs libvips-tools time).

        """

    init(_ words: [String]) throws(BenchError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--check": check = true
            case "--large": sizes = Tiles.all.map(\.megapixels)
            case "--sizes":
                let words = try Self.value(of: word, &rest).split(separator: ",")
                sizes = words.compactMap { Int($0) }
                guard sizes.count == words.count, !sizes.isEmpty,
                    sizes.allSatisfy({ size in Tiles.all.contains { $0.megapixels == size } })
                else { throw BenchError("--sizes wants some of 11,45,100,200") }
            case "--help", "-h": help = true
            case "--attachprep": attachprep = try Self.value(of: word, &rest)
            case "--photos": photographs = try Self.value(of: word, &rest)
            case "--samples": samples = try Self.value(of: word, &rest)
            case "--cache": cache = try Self.value(of: word, &rest)
            case "--pairs":
                guard let count = Int(try Self.value(of: word, &rest)), count > 0 else {
                    throw BenchError("--pairs wants a number")
                }
                pairs = count
            case "all": cases = Case.allCases
            default:
                guard let known = Case(rawValue: word) else { throw BenchError("unknown word: \(word)") }
                cases.append(known)
            }
        }
        if cases.isEmpty { cases = Case.allCases }
    }

    private static func value(
        of option: String, _ rest: inout ArraySlice<String>
    ) throws(BenchError) -> String {
        guard let value = rest.popFirst() else { throw BenchError("\(option) wants a value") }
        return value
    }
}
