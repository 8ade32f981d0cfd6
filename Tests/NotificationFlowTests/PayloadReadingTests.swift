import AttachmentPrep
import Testing

@testable import NotificationFlow

@Suite struct PayloadReadingTests {
    private func payload(_ json: String) throws -> NotificationPayload {
        try NotificationPayload(json: Array(json.utf8))
    }

    @Test(arguments: ["", "[]", "1", "{", "{\"a\":}", "nul", "{} x"])
    func whatIsNoObjectIsRefused(_ json: String) {
        let error = #expect(throws: PrepError.self) { _ = try payload(json) }
        #expect(error?.code == .invalidPayload)
    }

    /// Each level of a reader takes of a thread's stack, which is small in an extension.
    @Test func deepNestingIsRefusedOnASmallStack() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(JSONValue(json: Array(nested(32).utf8)) != nil)
        #expect(JSONValue(json: Array(nested(33).utf8)) == nil)
        #expect(JSONValue(json: Array(nested(500).utf8)) == nil)
        // Brackets in a text are text.
        #expect(JSONValue(json: Array(("[\"\\\"" + String(repeating: "[", count: 99) + "\"]").utf8)) != nil)
    }

    @Test func alertsAreTextOrDictionaries() throws {
        #expect(try NotificationText(of: payload(#"{"aps":{"alert":"b"}}"#)) == .init(body: "b"))
        #expect(
            try NotificationText(
                of: payload(#"{"aps":{"alert":{"title":"t","subtitle":"s","body":"b","x":1}}}"#))
                == .init(title: "t", subtitle: "s", body: "b"))
        #expect(try NotificationText(of: payload(#"{"aps":{"alert":{"title":7}}}"#)) == .init())
        #expect(try NotificationText(of: payload(#"{"aps":[]}"#)) == .init())
    }

    /// Expected values follow from RFC 8089, and from what a bundle's file name can be.
    @Test(arguments: [
        ("https://a.example/b", MediaLocation.link("https://a.example/b")),
        (" HTTPS://a.example/b\n", .link("HTTPS://a.example/b")),
        ("http://a.example/b", .link("http://a.example/b")),
        ("file:///a/b%20c.jpg", .file("/a/b c.jpg")), ("file://localhost/a.jpg", .file("/a.jpg")),
        ("file:/a.jpg", .file("/a.jpg")), ("FILE:///a.jpg", .file("/a.jpg")),
        ("cat.png", .bundled("cat.png")), ("кот.png", .bundled("кот.png")),
        // Names, not schemes.
        ("file", .bundled("file")), ("https", .bundled("https")), (" File ", .bundled("File")),
    ])
    func placesAreLinksFilesOrNames(_ text: String, _ location: MediaLocation) {
        #expect(MediaLocation(text) == location)
    }

    @Test(arguments: [
        "", "  ", "//a.example/b", "file://other.example/a.jpg", "file:a.jpg", "file:///a%00b",
        "file:///a%zz",
        "file:///a%2", "file:", "../secret", "a/b.png", "/etc/passwd", "javascript:alert(1)",
        "ftp://a.example/b",
        "..",
        "data:image/png;base64,AA==", "a\u{0}b",
    ])
    func whatIsNoPlaceIsPassedOver(_ text: String) {
        #expect(MediaLocation(text) == nil)
    }

    /// The keys of articles, SDKs and FCM, each with a link.
    @Test(arguments: [
        #"{"image_url":"https://a.example/x"}"#, #"{"image-url":"https://a.example/x"}"#,
        #"{"attachment-url":"https://a.example/x"}"#, #"{"media_url":"https://a.example/x"}"#,
        #"{"fcm_options":{"image":"https://a.example/x"}}"#, #"{"image":"https://a.example/x"}"#,
        #"{"attachment":{"url":"https://a.example/x"}}"#, #"{"image":{"url":"https://a.example/x"}}"#,
        // What is of another type is passed over, and a later key counts (firebase-ios-sdk#16464).
        #"{"image_url":7,"media_url":"https://a.example/x"}"#,
        #"{"image_url":["https://b.example"],"fcm_options":{"image":"https://a.example/x"}}"#,
        #"{"image":null,"media_url":"https://a.example/x","fcm_options":"https://b.example"}"#,
    ])
    func linksAreFoundAtTheUsualKeys(_ json: String) throws {
        #expect(try MediaKeys.common.location(in: payload(json)) == .link("https://a.example/x"))
    }

    @Test(arguments: [
        #"{"fcm_options":"https://a.example"}"#, #"{"fcm_options":["https://a.example"]}"#,
        #"{"fcm_options":{"image":{}}}"#, #"{"image_url":true}"#, #"{"image_url":null,"image":" "}"#,
        #"{"aps":{"image_url":"https://a.example"}}"#,
        "{}",
    ])
    func otherTypesAreNoLinks(_ json: String) throws {
        #expect(try MediaKeys.common.location(in: payload(json)) == nil)
    }

    @Test(arguments: [
        #"{"image_url":7}"#, #"{"image":["https://a.example/b.jpg"]}"#, #"{"media_url":"ftp://a.example/b"}"#,
        #"{"fcm_options":{"image":"/b.jpg"}}"#,
    ])
    func whatCannotBeMediaIsSaid(_ json: String) throws {
        let error = #expect(throws: PrepError.self) { try MediaKeys.common.location(in: payload(json)) }
        #expect(error?.code == .invalidURL)
    }

    @Test func keysOfOnesOwnMayHaveDots() throws {
        let keys = MediaKeys(["/com.example~1x/a.b", "m.links.big"])
        #expect(
            try keys.location(in: payload(#"{"com.example/x":{"a.b":"https://a.example"}}"#))
                == .link("https://a.example"))
        #expect(
            try keys.location(in: payload(#"{"m":{"links":{"big":"https://b.example"}}}"#))
                == .link("https://b.example"))
    }

    @Test func whatCompletesAPayloadLeavesApsAlone() throws {
        let whole = try payload(#"{"aps":{"alert":"a"},"m":{"a":1,"b":2},"x":1}"#).completed(
            by: payload(#"{"aps":{"alert":"z"},"m":{"b":3},"y":[1]}"#).root)
        #expect(whole == (try payload(#"{"aps":{"alert":"a"},"m":{"a":1,"b":3},"x":1,"y":[1]}"#)))
    }

    /// printf's positional arguments, as Apple's strings files use them.
    @Test(arguments: [
        ("%@ shipped", ["A"], "A shipped"), ("%2$@ of %1$@", ["A", "B"], "B of A"),
        ("100%% %@", ["x"], "100% x"),
        ("%@%@", ["a"], "a"), ("%3$@", ["a"], ""), ("%d %", ["a"], "%d %"), ("%@ %@", ["%@", "b"], "%@ b"),
        ("", ["a"], ""), ("%1$d", ["a"], "%1$d"),
    ])
    func formatsAreFilled(_ format: String, _ arguments: [String], _ expected: String) {
        #expect(LocalizedDetails<Table>.fill(format, with: arguments) == expected)
    }

    struct Table: StringTable {
        func format(for key: String) -> String? { ["k": "%@ has %@", "t": "Title"][key] }
    }

    @Test func textComesByKeyAndArguments() throws {
        let limits = FlowLimits(deadline: .now + .seconds(60), cancellation: .init())
        let found = try LocalizedDetails(Table()).details(
            for: payload(
                #"{"loc-key":"k","loc-args":["Ann",5],"title-loc-key":"t","subtitle-loc-key":"none"}"#),
            limits)
        #expect(found == .object(["body": .string("Ann has 5"), "title": .string("Title")]))
        #expect(try LocalizedDetails(Table()).details(for: payload("{}"), limits) == nil)
    }
}
