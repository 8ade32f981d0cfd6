#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// JSON lines.
///
/// The only file that needs a part of Foundation, so that nothing else pays for it.
enum JSONLine {
    /// The value's JSON and a line feed; nil if it cannot be written, which no record of ours is.
    static func encode(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let data = try? encoder.encode(value) else { return nil }
        return Array(data) + [UInt8(ascii: "\n")]
    }
}
