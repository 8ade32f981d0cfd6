import AttachmentPrep
import Testing

@testable import MediaCache

@Suite struct SignedLinkTests {
    private static let link = "https://shop.example/download?id=15"
    /// Made with Python's hmac, hashlib and base64; the key is the bytes from 0 to 31.
    private static let vectors = [
        (
            0,
            "https://push.example/s/k1.0.I3JZx7IwgLB-7tziO1GpHxem98_phUTaV_ssh_Jib9s/apns/aHR0cHM6Ly9zaG9wLmV4YW1wbGUvZG93bmxvYWQ_aWQ9MTU.jpg"
        ),
        (
            1_798_761_600,
            "https://push.example/s/k1.1798761600.EPm5d_nXoCDWSBIZtyY3_rJmDxoS6h18jbISHm93G2U/apns/aHR0cHM6Ly9zaG9wLmV4YW1wbGUvZG93bmxvYWQ_aWQ9MTU.jpg"
        ),
    ]

    private func ring(_ ids: String...) throws -> LinkKeys {
        try #require(LinkKeys(ids.compactMap { LinkKey(id: $0, secret: Array(0..<32)) }))
    }

    @Test(arguments: vectors) func thePublishedVectorHolds(_ expiry: Int, _ text: String) throws {
        let keys = try ring("k1")
        let signed = try SignedLink(Self.link, profile: .apns, expiry: expiry, keyID: "k1")
        #expect(try signed.text(base: "https://push.example", key: keys.signing) == text)
        #expect(try signed.text(base: "https://push.example/", key: keys.signing) == text)
        #expect(try SignedLink(verifying: text, keys: keys, now: 1_798_761_599) == signed)
        // A server sees the path alone.
        let path = String(text.dropFirst("https://push.example".count))
        #expect(try SignedLink(verifying: path, keys: keys, now: 0) == signed)
    }

    @Test func whatRanOutIsExpired() throws {
        let keys = try ring("k1")
        let error = #expect(throws: PrepError.self) {
            try SignedLink(verifying: Self.vectors[1].1, keys: keys, now: 1_798_761_600)
        }
        #expect(error?.code == .expired)
        #expect(throws: Never.self) { try SignedLink(verifying: Self.vectors[0].1, keys: keys, now: .max) }
    }

    /// Whatever character is changed, it is another link, or none.
    @Test func noCharacterCanBeChanged() throws {
        let keys = try ring("k1")
        let path = Array(Self.vectors[1].1.dropFirst("https://push.example".count).utf8)
        for index in path.indices {
            for other in Array("0aA-_./".utf8) where other != path[index] {
                var changed = path
                changed[index] = other
                let text = String(decoding: changed, as: UTF8.self)
                let error = #expect(throws: PrepError.self, "\(text)") {
                    try SignedLink(verifying: text, keys: keys, now: 0)
                }
                #expect(error?.code == .badSignature, "\(text)")
            }
        }
    }

    @Test(arguments: [
        "", "/", "/s/", "https://push.example/a.jpg", "/s/k1.0/apns/aa.jpg", "/s/k1.0.AA/apns/aa.png",
        "/s/k1.0.AA/apns/*.jpg", "/s/..0.AA/apns/aa.jpg", "/x/k1.0.AA/apns/aa.jpg",
    ])
    func whatIsNoSignedLinkIsRefused(_ text: String) throws {
        let error = #expect(throws: PrepError.self) {
            try SignedLink(verifying: text, keys: ring("k1"), now: 0)
        }
        #expect(error?.code == .badSignature)
    }

    @Test func keysCanBeChangedWhileLinksAreOnTheirWay() throws {
        let old = try #require(LinkKey(id: "old", secret: Array(repeating: 1, count: 32)))
        let new = try #require(LinkKey(id: "new", secret: Array(repeating: 2, count: 32)))
        let signed = try SignedLink(Self.link, profile: .thumb, keyID: "old")
        let text = try signed.text(base: "https://push.example", key: old)
        let both = try #require(LinkKeys([new, old]))
        #expect(both.signing == new)
        #expect(try SignedLink(verifying: text, keys: both, now: 0) == signed)
        let after = try #require(LinkKeys([new]))
        #expect(throws: PrepError.self) { try SignedLink(verifying: text, keys: after, now: 0) }
    }

    @Test(
        arguments: [
            (
                "# ours\nk1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n\nk2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n",
                ["k1", "k2"]
            ),
            ("k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\r\n", ["k1"]),
            ("", nil), ("k1 short\n", nil), ("k1\n", nil),
            ("k 1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", nil),
            ("k.1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", nil),
            (
                "k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\nk1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
                nil
            ),
        ] as [(String, [String]?)])
    func keyFilesAreRead(_ text: String, _ ids: [String]?) throws {
        let place = try Place()
        let path = try place.file("keys", Array(text.utf8))
        #expect((try? LinkKeys(file: path))?.all.map(\.id) == ids)
    }
}

@Suite struct HMACTests {
    /// RFC 4231: test cases 1, 2, 3 and 6 (a key longer than a block).
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func thePublishedVectorsHold(_ key: [UInt8], _ message: [UInt8], _ expected: String) throws {
        #expect(ContentDigest.hex(try HMAC.sha256(message, key: key)) == expected)
    }

    /// FIPS 180-4's examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func theDigestIsSHA256(_ text: String, _ expected: String) throws {
        #expect(ContentDigest.hex(try ContentDigest.sha256(text.utf8)) == expected)
    }

    @Test func comparisonSeesEveryByte() {
        let bytes = [UInt8](0..<32)
        #expect(HMAC.areEqual(bytes, bytes))
        #expect(!HMAC.areEqual(bytes, bytes.dropLast()))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(!HMAC.areEqual(bytes, other))
        }
    }
}
