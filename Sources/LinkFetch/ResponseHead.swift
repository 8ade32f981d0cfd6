/// The head of an answer: its status and the few headers that matter here.
package struct ResponseHead: Sendable {
    /// What a cache may ask again with (RFC 9110, 13.1).
    package var validators = Validators()
    /// Seconds for which the answer stays fresh; nil where the server does not say.
    package var freshSeconds: Int?
    /// Whether it may not be kept at all.
    package var isNotStored = false
    /// Bytes of head seen so far, all answers of the transfer together.
    private(set) var bytes = 0
    private(set) var status = 0
    /// Whether the empty line at its end was seen.
    private(set) var isWhole = false
    private var redirectLifetime: Int?
    /// Bytes the body is said to have; 0 where nobody says.
    private(set) var contentLength = 0
    /// Where a redirect leads, as the server wrote it.
    private(set) var location = ""
    private var age = 0
    private var expires: Int?
    private var date: Int?

    /// Longer heads are an attack or an accident.
    static let longest = 65_536

    init() {}

    /// Takes a line; an informational answer's lines give way to those of the one that follows.
    mutating func take(_ line: String) {
        bytes += line.utf8.count + 2
        // Trailers of a chunked body come as lines too, and are none of the head's (RFC 9110, 6.5.1).
        if isWhole, status >= 200 { return }
        if line.hasPrefix("HTTP/") {
            let soFar = bytes
            self = ResponseHead()
            bytes = soFar
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return
        }
        isWhole = line.isEmpty
        guard let colon = line.firstIndex(of: ":") else { return }
        let name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...].trimmed
        switch name {
        case "etag": validators.etag = Validators.kept(value)
        case "last-modified": validators.lastModified = Validators.kept(value)
        case "content-length": contentLength = Self.number(value) ?? 0
        case "cache-control": takeDirectives(value)
        case "age": age = max(0, Int(value) ?? 0)
        case "location": location = value
        case "date": date = HTTPDate.seconds(value)
        case "expires": expires = HTTPDate.seconds(value) ?? .min
        default: break
        }
    }

    private mutating func takeDirectives(_ value: String) {
        for word in value.lowercased().split(separator: ",").map(\.trimmed) {
            if word == "no-store" { isNotStored = true }
            if word == "no-cache" { freshSeconds = 0 }
            if word.hasPrefix("max-age="), freshSeconds != 0 {
                let digits = word.dropFirst(8).filter { $0 != "\"" }
                freshSeconds = Self.number(digits) ?? 0
            }
        }
    }

    /// How long from `now` (seconds since 1970) the answer needs no asking again (RFC 9111, 4.2).
    ///
    /// Where the server does not say, a tenth of the picture's age, at most a day.
    ///
    /// It is no longer than that of the redirects that led to it.
    package func lifetime(now: Int) -> Int { min(ownLifetime(now: now), redirectLifetime ?? .max) }

    /// Takes over what a redirect on the way says: where it says nothing, it may lead elsewhere the next time.
    mutating func follow(_ redirect: ResponseHead) {
        let saysNothing = redirect.freshSeconds == nil && redirect.expires == nil
        let lifetime = saysNothing ? 0 : redirect.lifetime(now: redirect.date ?? 0)
        redirectLifetime = min(redirectLifetime ?? .max, lifetime)
        isNotStored = isNotStored || redirect.isNotStored
    }

    private func ownLifetime(now: Int) -> Int {
        let month = 30 * 86_400
        if let freshSeconds { return min(max(0, freshSeconds - age), month) }
        if let expires {
            let sent = date ?? now
            return expires > sent ? min(expires - sent, month) : 0
        }
        guard let changed = validators.lastModified.flatMap(HTTPDate.seconds), changed < now else { return 0 }
        return min((now - changed) / 10, 86_400)
    }

    /// A number of digits alone; too large a one is as large as can be (RFC 9111, 1.2.2).
    private static func number(_ digits: String) -> Int? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits) ?? .max
    }
}

/// What a cached answer is asked about again with.
package struct Validators: Hashable, Sendable {
    package var etag: String?
    package var lastModified: String?
    /// SHA-256 of the address that answered with them, which redirects may have led to; elsewhere they say nothing.
    package var address: String?

    package init(etag: String? = nil, lastModified: String? = nil, address: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
        self.address = address
    }

    /// A server's word, unless it is too long to be one.
    static func kept(_ value: String) -> String? { value.utf8.count <= 1024 ? value : nil }

    package var isEmpty: Bool { etag == nil && lastModified == nil }

    /// The request's conditional headers.
    var lines: [String] {
        let all =
            (etag.map { ["If-None-Match: \($0)"] } ?? [])
            + (lastModified.map { ["If-Modified-Since: \($0)"] } ?? [])
        // They come from a server, and from a file: a line end in one would begin another header.
        return all.filter { line in line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
    }
}

/// Dates of HTTP in the one form that is sent today: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
enum HTTPDate {
    /// Seconds since 1970; nil for anything else.
    static func seconds(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int(words[3]),
            let month = months.firstIndex(of: words[2].lowercased()), (1...31).contains(day),
            (1970...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        return days(year, month + 1, day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Days from 1970-01-01 in the Gregorian calendar; a year begins in March, so that its leap day is the last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = y / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
