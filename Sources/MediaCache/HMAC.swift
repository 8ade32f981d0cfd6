package import AttachmentPrep

/// HMAC with SHA-256 (RFC 2104).
package enum HMAC {
    private static let blockSize = 64

    package static func sha256(_ message: [UInt8], key: [UInt8]) throws(PrepError) -> [UInt8] {
        var block = key.count > blockSize ? try ContentDigest.sha256(key) : key
        block += [UInt8](repeating: 0, count: blockSize - block.count)
        let inner = try ContentDigest.sha256(block.map { $0 ^ 0x36 } + message)
        return try ContentDigest.sha256(block.map { $0 ^ 0x5C } + inner)
    }

    /// Compares in a time that does not say where they differ.
    package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices { difference |= a[index] ^ b[index] }
        return difference == 0
    }
}
