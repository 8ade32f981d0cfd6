import AttachmentPrep
import Foundation
import PayloadTools
import TestSupport
import Testing

@Suite struct ExtensionPlistTests {
    private func refusal(_ text: String) -> PrepError? {
        #expect(throws: PrepError.self) { try ExtensionPlist(Array(text.utf8)) }
    }

    @Test(arguments: [
        ("bplist00\u{0}", "plutil -convert xml1"), ("{ NSExtension = {}; }", "<plist> should stand here"),
        ("", "<plist> should stand here"), ("<plist><dict></dict>", "</plist> should stand here"),
        ("<plist><dict><key>a</key></dict></plist>", "a value should stand here"),
        ("<plist><dict><string>a</string></dict></plist>", "<key> should stand here"),
        ("<plist><dict><key>a</key><string>b</string>", "<key> should stand here"),
        ("<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>", "there twice"),
        ("<plist><string>&boom;</string></plist>", "no entity &boom;"),
        ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", "definitions of its own"),
        ("<plist><set/></plist>", "<set> is no value"), ("<plist><dict/></plist>", "no NSExtension"),
        ("<plist><string>a</string></plist> x", "something follows"), ("<plist><!-- a", "does not end"),
        ("<plist>\n<array>\n<string>a</integer>\n</array></plist>", "line 3, column 10"),
    ])
    func whatIsNone(_ text: String, _ words: String) throws {
        let error = try #require(refusal(text))
        #expect(error.code == .invalidPayload)
        #expect(error.message.contains(words), "\(error.message)")
    }

    @Test func depthAndSizeAreBounded() throws {
        #expect(
            refusal("<plist>" + String(repeating: "<array>", count: 100_000))?.message.contains("deep")
                == true)
        let long = "<plist><string>" + String(repeating: "a", count: 1 << 20) + "</string></plist>"
        #expect(refusal(long)?.message.contains("larger than 1 MiB") == true)
    }

    @Test func latinIsToldFromUTF8() {
        let bytes = Array("<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8)
        let error = #expect(throws: PrepError.self) { try ExtensionPlist(bytes) }
        #expect(error?.message.contains("not UTF-8") == true)
    }
}

@Suite struct APNsHeadersTests {
    @Test func aLineThatIsNoneIsNamed() throws {
        let error = #expect(throws: PrepError.self) { try APNsHeaders(Array("a: b\n\nnonsense\n".utf8)) }
        #expect(error?.message.hasPrefix("line 3 ") == true)
    }

    @Test(arguments: [
        ("16", "16.0", false), ("16.0", "16.0.1", true), ("9", "10", true), ("16.4", "16.10", true),
    ])
    func versionsAreNumbers(_ a: String, _ b: String, _ isLess: Bool) throws {
        #expect((try #require(IOSVersion(a)) < #require(IOSVersion(b))) == isLess)
        #expect(try !(#require(IOSVersion(b)) < #require(IOSVersion(a))))
    }

    @Test(arguments: ["", "a", "16.", ".4", "16.4.1.2", "-1", "1 6", "99999"]) func noVersions(_ text: String)
    {
        #expect(IOSVersion(text) == nil)
    }
}
