internal import AttachmentPrep

/// Whole numbers as people type them: digits and nothing else.
enum Decimal {
    /// The number, or nil for anything but digits and for what does not fit.
    static func integer(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}

/// Sizes in bytes: `300000`, `300KB` (1000), `300KiB` (1024), `1MB`.
enum ByteSize {
    enum Refusal: Error, Equatable {
        case malformed, zero, tooLarge
        /// `300K` and `1M` mean a thousand to some and 1024 to others.
        case ambiguousUnit
        case fraction

        /// What to write instead of `text`.
        func hint(for text: String) -> String? {
            switch self {
            case .malformed: nil
            case .zero: "it must be at least 1"
            case .tooLarge: "that is more than can be counted"
            case .ambiguousUnit: "did you mean '\(text)B' (thousands) or '\(text)iB' (1024s)?"
            case .fraction: "use a whole number of a smaller unit"
            }
        }
    }

    private static let units: [(name: String, factor: Int)] = [
        ("", 1), ("b", 1), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000),
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30),
    ]

    static func parse(_ text: String) -> Result<Int, Refusal> {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).lowercased()
        guard !digits.isEmpty else { return .failure(.malformed) }
        if unit.first == "." || unit.first == "," { return .failure(.fraction) }
        if ["k", "m", "g"].contains(unit) { return .failure(.ambiguousUnit) }
        guard let factor = units.first(where: { $0.name == unit })?.factor else {
            return .failure(.malformed)
        }
        guard let number = Decimal.integer(digits) else { return .failure(.tooLarge) }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: factor)
        if overflows { return .failure(.tooLarge) }
        return bytes > 0 ? .success(bytes) : .failure(.zero)
    }
}

extension OptionValue {
    func addProfiles(to settings: inout Settings) throws(UsageError) {
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let profile = Profile(named: String(word)) else {
                let names = Profile.all.map(\.name)
                let origin = name.hasPrefix("--") ? "" : "\(name): "
                throw UsageError(
                    "\(origin)there is no profile '\(Display.safe(String(word)))'; there are "
                        + names.joined(separator: ", "),
                    hint: Suggestion.hint(for: String(word), among: names))
            }
            if !settings.profiles.contains(profile) { settings.profiles.append(profile) }
        }
    }

    func color() throws(UsageError) -> UInt32 {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let color = UInt32(digits, radix: 16)
        else { throw refused("six hexadecimal digits, RRGGBB") }
        return color
    }

    /// Seconds with up to three decimals.
    func duration() throws(UsageError) -> Duration {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard let seconds = parts.first.flatMap({ Decimal.integer($0) }), seconds <= 1_000_000_000,
            fraction.utf8.count <= 3, let thousandths = Decimal.integer(fraction)
        else { throw refused("seconds, such as 20 or 0.5") }
        let scale = [1, 100, 10, 1][fraction.utf8.count]
        return .seconds(seconds) + .milliseconds(thousandths * scale)
    }

    func shard() throws(UsageError) -> Shard {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Decimal.integer(parts[0]), let count = Decimal.integer(parts[1]),
            count > 0, count <= 1_000_000, (1...count).contains(index)
        else { throw refused("a part such as 2/3: from 1/3 to 3/3") }
        return Shard(index: index, count: count)
    }

    /// A folder that exists; the library takes it as text.
    func folder() throws(UsageError) -> String {
        let path = try path()
        guard path.undisplayableBytes == nil else { throw refused("a path that is UTF-8") }
        guard FileStatus(of: path)?.kind == .folder else { throw refused("a folder that exists") }
        return text
    }
}
