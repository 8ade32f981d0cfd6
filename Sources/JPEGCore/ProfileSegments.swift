/// Puts a profile together that a JPEG carries in pieces (ICC.1 annex B.4): each APP2 segment has its number and how
/// many there are.
package struct ProfileSegments: Sendable {
    private static let label = Array("ICC_PROFILE\0".utf8)

    /// Pieces by number, 1 to `count`.
    private var pieces: [Int: [UInt8]] = [:]
    private var count = 0
    private var bytes = 0
    private let limit: Int
    /// Whether the pieces contradict each other or are too many bytes; they are then let go.
    private var isBroken = false

    /// - Parameter limit: bytes above which a profile is of no use.
    package init(limit: Int) { self.limit = limit }

    /// Takes the body of an APP2 segment, if it is a piece.
    package mutating func note(app2 body: ArraySlice<UInt8>) {
        guard !isBroken, body.starts(with: Self.label) else { return }
        let numbers = body.dropFirst(Self.label.count).prefix(2)
        guard let number = numbers.first.map(Int.init), let total = numbers.last.map(Int.init),
            numbers.count == 2, number >= 1, number <= total, count == 0 || count == total,
            pieces[number] == nil, bytes + body.count <= limit
        else {
            self = ProfileSegments(limit: limit)
            isBroken = true
            return
        }
        count = total
        bytes += body.count
        pieces[number] = Array(body.dropFirst(Self.label.count + 2))
    }

    /// The whole profile, empty where pieces are missing or wrong; nil when there never was one.
    package var profile: [UInt8]? {
        if isBroken { return [] }
        guard count > 0 else { return nil }
        guard pieces.count == count else { return [] }
        return (1...count).flatMap { pieces[$0] ?? [] }
    }
}
