internal import CCodecs
internal import Pixels

/// What the chunks of a PNG say about its colours, in the order in which they count: cICP, iCCP, sRGB, then gAMA and
/// cHRM (PNG specification, third edition, 4.3).
struct PNGColour {
    private var coding: CodingPoints?
    private var profile: [UInt8]?
    private var isProfileTooLong = false
    private var isSRGB = false
    /// What encoded a sample: light to this power.
    private var gamma: Double?
    private var primaries: Primaries?
    /// Nits of the brightest pixel (cLLI), else of the brightest the mastering display could show (mDCV).
    private var peak: Double?
    private var masteringPeak: Double?

    /// Compressed bytes above which a profile is of no use.
    private static let profileLimit = 1 << 20

    /// Whether the data of such a chunk is worth collecting; a profile that is too long counts as a broken one.
    mutating func wants(_ type: [UInt8], length: Int) -> Bool {
        switch String(decoding: type, as: UTF8.self) {
        case "cICP": return length == 4 && coding == nil
        case "sRGB": return length == 1
        case "gAMA": return length == 4
        case "cHRM": return length == 32
        case "cLLI": return length == 8
        case "mDCV": return length == 24
        case "iCCP":
            guard profile == nil else { return false }
            isProfileTooLong = length > Self.profileLimit
            if isProfileTooLong { profile = [] }
            return !isProfileTooLong
        default: return false
        }
    }

    /// Takes the data of a chunk that was wanted.
    mutating func take(_ type: [UInt8], _ data: ArraySlice<UInt8>) {
        let bytes = Array(data)
        func long(_ index: Int) -> Double {
            Double(bytes[(4 * index)..<(4 * index + 4)].reduce(0) { $0 << 8 | Int($1) })
        }
        func point(_ index: Int) -> Chromaticity {
            Chromaticity(long(index) / 100_000, long(index + 1) / 100_000)
        }
        switch String(decoding: type, as: UTF8.self) {
        case "cICP":
            // RGB in full range is all that a PNG can hold.
            guard bytes[2] == 0, bytes[3] == 1 else { return }
            coding = CodingPoints(primaries: Int(bytes[0]), transfer: Int(bytes[1]))
        case "sRGB": isSRGB = true
        case "gAMA" where long(0) > 0: gamma = long(0) / 100_000
        case "cHRM": primaries = Primaries(red: point(2), green: point(4), blue: point(6), white: point(0))
        case "cLLI" where long(0) > 0: peak = long(0) / 10_000
        case "mDCV" where long(4) > 0: masteringPeak = long(4) / 10_000
        case "iCCP": profile = Self.inflated(bytes) ?? []
        default: break
        }
    }

    func plan(_ layout: PixelLayout) -> ColourPlan {
        if let coding {
            let plan = ColourPlan(coding: coding, peak: peak ?? masteringPeak, layout: layout)
            // A code that nobody knows says nothing.
            if !plan.isIgnored { return plan }
        }
        if let profile {
            return isProfileTooLong ? .unread : ColourPlan(profile: profile, layout: layout)
        }
        if isSRGB || gamma == nil && primaries == nil { return .sRGB }
        let curve = gamma.flatMap { gamma in
            // 1 / 2.2 stands for sRGB in all the files that have it: the curve itself is closer to what was meant.
            abs(gamma * 2.2 - 1) < 0.02 ? nil : gamma
        }.map { gamma in { @Sendable (sample: Double) in SRGBCurve.power(sample, 1 / gamma) } }
        let matrix = primaries.flatMap { ColourMatrix.toD50($0)?.fromD50ToSRGB }.flatMap { matrix in
            matrix.inverse == nil ? nil : matrix
        }
        return ColourPlan(ColourSpace(curves: curve.map { [$0] }, toSRGB: matrix), layout)
    }

    /// The profile of an iCCP chunk: a name, a zero, the method 0, zlib data (PNG specification, 11.3.2.3).
    private static func inflated(_ data: [UInt8]) -> [UInt8]? {
        guard let zero = data.prefix(80).firstIndex(of: 0), zero + 2 < data.count, data[zero + 1] == 0 else {
            return nil
        }
        let packed = data[(zero + 2)...]
        // The profile begins with its size (ICC.1, 7.2.2), so that a bomb ends here.
        guard let start = inflate(packed, capacity: 4), start.count == 4 else { return nil }
        let size = start.reduce(0) { $0 << 8 | Int($1) }
        guard size >= 132, size <= ColourPlan.profileLimit, let all = inflate(packed, capacity: size),
            all.count == size
        else { return nil }
        return all
    }

    private static func inflate(_ packed: ArraySlice<UInt8>, capacity: Int) -> [UInt8]? {
        var out = [UInt8](repeating: 0, count: capacity)
        let count = unsafe packed.withUnsafeBufferPointer { packed in
            unsafe out.withUnsafeMutableBufferPointer { out in
                unsafe ap_inflate(packed.baseAddress, packed.count, out.baseAddress, out.count)
            }
        }
        return count < 0 ? nil : Array(out.prefix(count))
    }
}
