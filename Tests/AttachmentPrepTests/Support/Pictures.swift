// Pictures made and read by libjpeg-turbo's programs, never by the code under test.

/// Samples as `djpeg -pnm` writes and `cjpeg` reads them.
struct Picture: Equatable {
    let width: Int
    let height: Int
    /// 3 for RGB, 1 for grey.
    let channels: Int
    var samples: [UInt8]

    init(width: Int, height: Int, channels: Int = 3, samples: [UInt8]) {
        (self.width, self.height, self.channels, self.samples) = (width, height, channels, samples)
    }

    /// A picture by formula.
    init(width: Int, height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
        let samples = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
        self.init(width: width, height: height, channels: samples.count / (width * height), samples: samples)
    }

    /// Reads P5 and P6.
    init?(pnm bytes: [UInt8]) {
        var words: [String] = []
        var at = 0
        while words.count < 4 {
            guard let end = bytes[at...].firstIndex(where: { $0 == 10 || $0 == 32 }) else { return nil }
            words.append(String(decoding: bytes[at..<end], as: UTF8.self))
            at = end + 1
        }
        guard let width = Int(words[1]), let height = Int(words[2]), words[3] == "255" else { return nil }
        let channels = words[0] == "P6" ? 3 : 1
        guard bytes.count - at == width * height * channels else { return nil }
        self.init(width: width, height: height, channels: channels, samples: Array(bytes[at...]))
    }

    /// What `djpeg` makes of a JPEG; nil if it finds any fault in it.
    init?(jpeg bytes: [UInt8]) {
        guard let pnm = filter(bytes, through: "djpeg -pnm") else { return nil }
        self.init(pnm: pnm)
    }

    var pnm: [UInt8] { Array("\(channels == 3 ? "P6" : "P5")\n\(width) \(height)\n255\n".utf8) + samples }

    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * width + x) * channels
        return Array(samples[start..<(start + channels)])
    }

    /// The picture as `cjpeg` encodes it.
    func jpeg(_ options: String = "-quality 90") -> [UInt8] {
        guard let bytes = filter(pnm, through: "cjpeg \(options)") else { fatalError("cjpeg \(options)") }
        return bytes
    }

    /// The largest difference of two samples in the same place; nil if the sizes differ.
    func distance(to other: Picture) -> Int? {
        guard (width, height, channels) == (other.width, other.height, other.channels) else { return nil }
        return zip(samples, other.samples).map { abs(Int($0) - Int($1)) }.max()
    }
}

/// Whether two colours are the same but for what a lossy codec does.
func isClose(_ a: [UInt8], _ b: [UInt8], within tolerance: Int = 24) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
}

enum Photos {
    static let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }

    static func path(_ name: String) -> String { "\(root)/Samples/photos/\(name)" }

    /// All samples; under a sanitizer one of each kind.
    static let all =
        isThorough ? everything : ["coffee-cup.jpg", "perched-osprey-progressive.jpg", "rocket-small.jpg"]

    private static let everything = [
        "avatar-round.png", "canyon-wren", "coffee-cup.jpg", "forget-me-nots.jpg", "kitten-on-lawn.jpg",
        "otters-turned.jpg", "perched-osprey-progressive.jpg", "rocket-small.jpg", "spiral-grey.jpg",
        "tea-gardens-444.jpg",
    ]

    /// A JPEG sample reduced by `djpeg` to so many eighths of its sides.
    static func reduced(_ name: String, eighths: Int) -> Picture {
        let pnm = shell("djpeg -pnm -scale \(eighths)/8 \(path(name))")
        guard pnm.status == 0, let picture = Picture(pnm: pnm.output) else { fatalError(name) }
        return picture
    }

    /// 225 × 153, grass and fur.
    static let kitten = reduced("kitten-on-lawn.jpg", eighths: 1)
    /// 450 × 305 and the like.
    static let budgetSources = ["kitten-on-lawn.jpg", "forget-me-nots.jpg", "tea-gardens-444.jpg"].map {
        reduced($0, eighths: 2)
    }
}
