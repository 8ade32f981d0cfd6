import AttachmentPrep
import Foundation
import PayloadTools
import TestSupport
import Testing

@Suite struct PayloadRewriterTests {
    private static let new = "https://push.example/s/k.0.x/apns/aaaa.jpg"
    private let rewriter = PayloadRewriter(keys: .known) { _ in Self.new }

    private func rewritten(_ text: String) throws -> String {
        String(decoding: try rewriter.rewritten(Array(text.utf8)), as: UTF8.self)
    }

    private static let aps = #""aps":{"alert":"Order","mutable-content":1}"#

    /// Before and after, written by hand.
    @Test(arguments: [
        // The link, and nothing else: order, numbers, escapes and spaces stay.
        (
            #"{"z":1.50,"aps":{"mutable-content":1,"alert":"\u041f\/x"},"image_url":"http://a.example/x","n":1e400}"#,
            #"{"z":1.50,"aps":{"mutable-content":1,"alert":"\u041f\/x"},"image_url":"NEW","n":1e400}"#
        ),
        // Slashes are escaped as they were.
        (
            #"{"aps":{"alert":"a","mutable-content":1},"image_url":"https:\/\/a.example\/x"}"#,
            #"{"aps":{"alert":"a","mutable-content":1},"image_url":"ESCAPED"}"#
        ),
        // An escaped backslash before a slash is no escaped slash.
        (
            #"{"aps":{"alert":"a","mutable-content":1},"image_url":"https://a.example/\\/x"}"#,
            #"{"aps":{"alert":"a","mutable-content":1},"image_url":"NEW"}"#
        ),
        // mutable-content is added as the members before it are written.
        (
            "{\n  \"aps\" : {\n    \"alert\" : \"a\"\n  },\n  \"image_url\" : \"https://a.example/x\"\n}\n",
            "{\n  \"aps\" : {\n    \"alert\" : \"a\",\n    \"mutable-content\" : 1\n  },\n  \"image_url\" : \"NEW\"\n}\n"
        ),
        (
            #"{"aps":{"alert":"a"},"image_url":"https://a.example/x"}"#,
            #"{"aps":{"alert":"a","mutable-content":1},"image_url":"NEW"}"#
        ),
        // What was meant is made right; a zero was meant.
        (
            #"{"aps":{"alert":"a","mutable-content":"1"},"image_url":"https://a.example/x"}"#,
            #"{"aps":{"alert":"a","mutable-content":1},"image_url":"NEW"}"#
        ),
        (
            #"{"aps":{"alert":"a","mutable-content":true},"image_url":"https://a.example/x"}"#,
            #"{"aps":{"alert":"a","mutable-content":1},"image_url":"NEW"}"#
        ),
        (
            #"{"aps":{"alert":"a","mutable-content":0},"image_url":"https://a.example/x"}"#,
            #"{"aps":{"alert":"a","mutable-content":0},"image_url":"NEW"}"#
        ),
        // A silent push stays silent.
        (
            #"{"aps":{"content-available":1},"image_url":"https://a.example/x"}"#,
            #"{"aps":{"content-available":1},"image_url":"NEW"}"#
        ),
        // Nested, escaped and repeated keys.
        (
            #"{"aps":{"alert":"a","mutable-content":1},"fcm_options":{"image":"https://a.example/x"},"image\u002durl":"https://a.example/y"}"#,
            #"{"aps":{"alert":"a","mutable-content":1},"fcm_options":{"image":"NEW"},"image\u002durl":"NEW"}"#
        ),
        // FCM: what APNs needs is added where FCM wants it.
        (
            #"{"message":{"notification":{"title":"a","image":"https://a.example/x"},"apns":{"fcm_options":{"image":"https://a.example/x"}}}}"#,
            #"{"message":{"notification":{"title":"a","image":"NEW"},"apns":{"fcm_options":{"image":"NEW"},"payload":{"aps":{"mutable-content":1}}}}}"#
        ),
        (
            #"{"message":{"notification":{"title":"a","image":"https://a.example/x"},"apns":{"payload":{"aps":{}}}}}"#,
            #"{"message":{"notification":{"title":"a","image":"NEW"},"apns":{"payload":{"aps":{"mutable-content":1}}}}}"#
        ),
        (
            #"{"message":{"notification":{"title":"a","image":"https://a.example/x"},"android":{}}}"#,
            #"{"message":{"notification":{"title":"a","image":"NEW"},"android":{}}}"#
        ),
        (
            #"{"message":{"data":{"image_url":"https://a.example/x"}}}"#,
            #"{"message":{"data":{"image_url":"NEW"}}}"#
        ),
    ])
    func linksAreReplaced(_ before: String, _ after: String) throws {
        let escaped = Self.new.replacingOccurrences(of: "/", with: "\\/")
        let expected = after.replacingOccurrences(of: "NEW", with: Self.new)
            .replacingOccurrences(of: "ESCAPED", with: escaped)
        #expect(try rewritten(before) == expected)
    }

    @Test(arguments: [
        #"{"aps":{"alert":"a"}}"#, #"{"aps":{"alert":"a"},"image":"logo","picture":null,"image_url":""}"#,
        #"{"aps":{"alert":"a"},"image_url":15}"#,
        #"{"aps":{"alert":"a"},"image_url":"data:image/gif;base64,R0"}"#,
        #"{"aps":{"alert":"a"},"image_url":"file:///a.png","other":"https://a.example/x"}"#, "{}",
        " {\n}\r\n",
    ])
    func withoutALinkNothingChanges(_ text: String) throws { #expect(try rewritten(text) == text) }

    /// With the links put back, what comes out is what went in, whatever the payload is.
    @Test(arguments: PayloadCase.all) func everythingElseStays(_ given: PayloadCase) throws {
        let before = try fixture("Payloads/" + given.file)
        let old = "https://cdn.example/a.jpg"
        let rewriter = PayloadRewriter(keys: .known) { $0 == old ? Self.new : nil }
        let after: [UInt8]
        do throws(PrepError) { after = try rewriter.rewritten(before) } catch {
            // Only what has no object to put a link in, or no room for a longer one, is refused.
            if error.code == .overLimit {
                #expect(before.count + Self.new.utf8.count > 4096)
            } else {
                let faults = [
                    "!invalid-payload", "not-an-object", "duplicate-platform-key", "aps-not-an-object",
                ]
                #expect(error.code == .invalidPayload)
                #expect(given.expected.contains { found in faults.contains { found.hasPrefix($0) } })
            }
            return
        }
        let text = String(decoding: after, as: UTF8.self)
        var back = text.replacingOccurrences(of: Self.new, with: old)
            .replacingOccurrences(
                of: Self.new.replacingOccurrences(of: "/", with: "\\/"),
                with: old.replacingOccurrences(of: "/", with: "\\/"))
        let was = String(decoding: before, as: UTF8.self)
        if before.count > 4000 {
            // Those may have lost their white space; there is none in their strings.
            let isSpace = { (c: Character) in c == " " || c == "\n" }
            #expect(back.filter { !isSpace($0) } == was.filter { !isSpace($0) })
            return
        }
        for added in [",\"mutable-content\":1", "\"mutable-content\":1,"]
        where back.utf8.count > was.utf8.count {
            back = back.replacingOccurrences(of: added, with: "")
        }
        let isMended = given.expected.contains {
            $0.hasPrefix("mutable-content") || $0.hasPrefix("aps-key-misspelt@$.aps.mutable")
        }
        if !isMended { #expect(back == was) }
    }

    @Test func aSecondRunChangesNothing() throws {
        let own = PayloadRewriter(keys: .known) { $0.hasPrefix("https://push.example/") ? nil : Self.new }
        let once = try own.rewritten(Array(#"{"aps":{"alert":"a"},"image_url":"https://a.example/x"}"#.utf8))
        #expect(try own.rewritten(once) == once)
    }

    // MARK: - Size

    /// A payload that has so many bytes after its link was replaced.
    private func payload(_ count: Int, space: Int, link: String = "https://a.example/x") -> String {
        let head =
            "{" + String(repeating: " ", count: space) + Self.aps + ",\"image_url\":\"\(link)\",\"pad\":\""
        let missing = count - head.utf8.count - 2 - (Self.new.utf8.count - link.utf8.count)
        return head + String(repeating: "x", count: missing) + "\"}"
    }

    @Test func whiteSpaceIsDroppedOnlyIfItMustBe() throws {
        let fits = try rewritten(payload(4096, space: 100))
        #expect(fits.utf8.count == 4096)
        #expect(fits.contains("{   "))
        let squeezed = try rewritten(payload(4097, space: 100) + "\n")
        #expect(squeezed.utf8.count == 4097 - 100 + 1)
        #expect(squeezed.hasPrefix("{\"aps\"") && squeezed.hasSuffix("}\n"))
        #expect(try rewritten(payload(4196, space: 100)).utf8.count == 4096)
    }

    @Test func whatCannotFitIsAnError() throws {
        let error = #expect(throws: PrepError.self) { try rewritten(payload(4197, space: 100)) }
        #expect(error?.code == .overLimit)
        #expect(error?.message.contains("4097 bytes, 1 over 4096") == true)
        let data = #"{"message":{"data":{"image_url":"https://a.example/x","pad":""#
        let message = data + String(repeating: "x", count: 4096) + "\"}}}"
        #expect(#expect(throws: PrepError.self) { try rewritten(message) }?.code == .overLimit)
    }

    // MARK: - Errors and keys

    @Test(arguments: [
        ("[]", "no JSON object"), ("{", "line 1, column 2"),
        (
            #"{"aps":{"alert":"a"},"aps":{"alert":"b"},"image_url":"https://a.example/x"}"#,
            "aps is there twice"
        ),
    ])
    func whatIsNoPayloadIsAnError(_ text: String, _ words: String) throws {
        let error = #expect(throws: PrepError.self) { try rewritten(text) }
        #expect(error?.code == .invalidPayload)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("media.big", #"{"media":{"big":"https://a.example/x"}}"#),
        ("/com.example.media/a~1b", #"{"com.example.media":{"a/b":"https://a.example/x"}}"#),
        ("big", #"{"big":"https://a.example/x"}"#),
    ])
    func keysOfOnesOwn(_ path: String, _ text: String) throws {
        var keys = MediaKeys.known
        let isPath = keys.add(path)
        #expect(isPath)
        let result = try PayloadRewriter(keys: keys) { _ in "NEW" }.rewritten(Array(text.utf8))
        #expect(
            String(decoding: result, as: UTF8.self)
                == text.replacingOccurrences(of: "https://a.example/x", with: "NEW"))
        #expect(try rewritten(text) == text)
    }

    @Test(arguments: ["", ".", "a..b", "/", "/a//b", "a."]) func pathsThatNameNothing(_ path: String) {
        var keys = MediaKeys.known
        let isPath = keys.add(path)
        #expect(!isPath)
    }
}
