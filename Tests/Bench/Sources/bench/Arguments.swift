/// What was asked for.
struct Arguments {
    var cases: [Case] = []
    var attachprep = ".build/release/attachprep"
    var photographs: String?
    var samples = "Samples/photos"
    var cache = "Tests/Bench/.build/pictures"
    var pairs = 9
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
          memory    peak resident size of large jobs, idle size and start-up
          profiles  CPU of two profiles from one decode against one

          --attachprep PATH   the program (default .build/release/attachprep)
          --photos DIR        photographs, kitten-on-lawn.jpg among them (default: sample pictures, tiled)
          --samples DIR       default Samples/photos
          --cache DIR         made pictures (default Tests/Bench/.build/pictures; 0.6 GB for all cases)
          --pairs N           interleaved pairs (default and least for figures to quote: 9)
          --check             exit status 1 when a limit is missed

        Needs djpeg, cjpeg, vips, vipsthumbnail and GNU time (Debian: libjpeg-turbo-progs libvips-tools time).

        """

    init(_ words: [String]) throws(BenchError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--check": check = true
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
