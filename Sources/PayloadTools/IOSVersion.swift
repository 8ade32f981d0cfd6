/// A version of iOS: `16`, `16.4`, `16.4.1`.
package struct IOSVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let parts: [Int]

    init(_ major: Int) { parts = [major] }

    /// Nil for anything but one to three numbers with dots between them.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = words.compactMap { word in
            word.utf8.count <= 3 && word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(word) : nil
        }
        guard (1...3).contains(words.count), numbers.count == words.count else { return nil }
        // 16 and 16.0 are one version.
        parts = Array(numbers.prefix(1)) + numbers.dropFirst().reversed().drop { $0 == 0 }.reversed()
    }

    package static func < (a: Self, b: Self) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }

    package var description: String { parts.map(String.init).joined(separator: ".") }
}
