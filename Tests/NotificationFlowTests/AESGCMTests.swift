import AttachmentPrep
import Foundation
import TestSupport
import Testing

@testable import NotificationFlow

/// Published vectors: the expected values are Project Wycheproof's.
@Suite struct AESGCMTests {
    private struct Vector {
        let id: String
        let nonce, extra, key, plain, sealed, tag: [UInt8]
        let isValid: Bool

        init(_ line: Substring) throws {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 8)
            id = fields[0]
            let bytes = try fields[1...6].map { try #require(Hex.bytes($0)) }
            (nonce, extra, key, plain, sealed, tag) = (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]
            )
            isValid = fields[7] == "valid"
        }
    }

    private static func vectors() throws -> [Vector] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fixtures/wycheproof/aes-256-gcm.tsv")
        return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").dropFirst()
            .map { try Vector($0) }
    }

    @Test func publishedVectorsOpenOrAreRefused() throws {
        let vectors = try Self.vectors()
        #expect(vectors.count == 105)
        #expect(vectors.count { !$0.isValid } == 29)
        for vector in vectors {
            let plain = try? AESGCM.open(
                sealed: vector.sealed[...], nonce: vector.nonce[...], tag: vector.tag[...],
                extra: vector.extra, key: vector.key)
            // One has a nonce of 257 bytes, and OpenSSL takes 128 at most; ours have 12.
            let isTaken = vector.isValid && vector.nonce.count <= 128
            #expect(plain == (isTaken ? vector.plain : nil), "vector \(vector.id)")
        }
    }

    @Test func anyFlippedBitIsNoticed() throws {
        let vector = try #require(Self.vectors().first { $0.isValid && $0.sealed.count >= 16 })
        func opens(_ change: (inout [[UInt8]]) -> Void) -> Bool {
            var parts = [vector.sealed, vector.nonce, vector.tag, vector.extra, vector.key]
            change(&parts)
            let plain = try? AESGCM.open(
                sealed: parts[0][...], nonce: parts[1][...], tag: parts[2][...], extra: parts[3],
                key: parts[4])
            return plain != nil
        }
        #expect(opens { _ in })
        for part in 0..<5 {
            for bit in [0, 7]
            where
                !([vector.sealed, vector.nonce, vector.tag, vector.extra, vector.key][part]
                .isEmpty)
            {
                #expect(!opens { $0[part][0] ^= 1 << UInt8(bit) }, "part \(part) bit \(bit)")
            }
        }
        #expect(!opens { $0[2].removeLast() })
        #expect(!opens { $0[4].removeLast() })
    }

    @Test func aForgeryIsToldFromTrouble() throws {
        let vector = try #require(Self.vectors().first { $0.isValid })
        var tag = vector.tag
        tag[15] ^= 1
        let error = #expect(throws: PrepError.self) {
            _ = try AESGCM.open(
                sealed: vector.sealed[...], nonce: vector.nonce[...], tag: tag[...], extra: vector.extra,
                key: vector.key)
        }
        #expect(error?.code == .invalidPayload)
        #expect(error?.message.contains("was changed") == true)
    }
}

enum Hex {
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start...start + 1], as: UTF8.self), radix: 16)
            else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
