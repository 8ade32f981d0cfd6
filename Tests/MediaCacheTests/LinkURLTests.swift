import AttachmentPrep
import Testing

@testable import LinkFetch

@Suite struct LinkURLTests {
    /// What RFC 3986 makes of what people paste, and IDNA of names in Unicode (RFC 5891's bücher example).
    @Test(arguments: [
        ("https://shop.example/a.jpg", "https://shop.example/a.jpg"),
        (" https://shop.example/a.jpg\n", "https://shop.example/a.jpg"),
        ("https://shop.example/a b.jpg", "https://shop.example/a%20b.jpg"),
        ("https://shop.example/a%20b.jpg", "https://shop.example/a%20b.jpg"),
        ("https://shop.example/100%.jpg", "https://shop.example/100%25.jpg"),
        ("https://shop.example/100%zz.jpg", "https://shop.example/100%25zz.jpg"),
        ("https://shop.example/ü.jpg", "https://shop.example/%C3%BC.jpg"),
        ("https://shop.example/%c3%bc.jpg?q=ü", "https://shop.example/%c3%bc.jpg?q=%C3%BC"),
        ("https://shop.example/a\"<>^`{|}\\.jpg", "https://shop.example/a%22%3C%3E%5E%60%7B%7C%7D%5C.jpg"),
        ("https://shop.example/a.jpg#part", "https://shop.example/a.jpg"),
        ("HTTPS://SHOP.example/A.jpg", "https://SHOP.example/A.jpg"),
        ("https://bücher.example/a.jpg", "https://xn--bcher-kva.example/a.jpg"),
        ("https://shop.example:8443/a.jpg?b=1&c=2", "https://shop.example:8443/a.jpg?b=1&c=2"),
        ("https://shop.example?id=15", "https://shop.example/?id=15"),
    ])
    func whatAddressesMayNotHoldIsEncodedOnce(_ text: String, _ expected: String) throws {
        let link = try LinkURL(text)
        #expect(link.text == expected)
        // Once: reading it again changes nothing.
        #expect(try LinkURL(link.text).text == expected)
    }

    /// RFC 3986, 5.4's examples, as far as they are links.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y/./x:1", "http://a/b/c/g?y/./x:1"), ("../g", "http://a/b/g"), ("https://g/h", "https://g/h"),
        ("ü b", "http://a/b/c/%C3%BC%20b"),
    ])
    func redirectsMayBeRelative(_ text: String, _ expected: String) throws {
        let base = try LinkURL("http://a/b/c/d;p?q")
        #expect(try LinkURL(text, relativeTo: base).text == expected)
    }

    @Test(arguments: [
        "https://", "https:///a.jpg", "ftp://shop.example/a.jpg", "file:///etc/passwd",
        "gopher://shop.example/",
        "javascript:alert(1)", "shop.example/a.jpg", "/etc/passwd", "", "https://user@shop.example/a.jpg",
        "https://user:secret@shop.example/a.jpg", "https://shop.example/a\u{0}.jpg",
        "https://shop.example/a\r\nHost: other", "https://shop.example:99999/", "https://sh op.example/",
    ])
    func whatIsNoLinkIsRefused(_ text: String) {
        let error = #expect(throws: PrepError.self) { try LinkURL(text) }
        #expect(error?.code == .invalidURL)
    }

    @Test func aLinkAsLongAsABookIsRefused() {
        let error = #expect(throws: PrepError.self) {
            try LinkURL("https://shop.example/" + String(repeating: "a", count: 20_000))
        }
        #expect(error?.code == .invalidURL)
    }

    @Test func theLastComponentClaimsAType() throws {
        #expect(try LinkURL("https://shop.example/download?id=15.png").fileName == "download")
        #expect(try LinkURL("https://shop.example/a/b.heic?x=/c.png").fileName == "b.heic")
        #expect(try LinkURL("https://shop.example/").fileName.isEmpty)
    }

    @Test(arguments: [
        ("https://a", true), ("HTTP://a", true), ("data:,", true), ("a.jpg", false), ("https", false),
        ("./https://a", false), ("file:///etc/passwd", true), ("s3://bucket/key", true), ("C://a", false),
        ("://a", false), ("a b://c", false),
    ])
    func linksAreToldFromPaths(_ text: String, _ expected: Bool) { #expect(LinkURL.isLink(text) == expected) }
}

@Suite struct DataLinkTests {
    /// RFC 4648, 10, and RFC 2397's own example.
    @Test(arguments: [
        ("data:;base64,", ""), ("data:;base64,Zg==", "f"), ("data:;base64,Zm8=", "fo"),
        ("data:;base64,Zm9v", "foo"), ("data:;base64,Zm9vYg==", "foob"), ("data:;base64,Zm9vYmE=", "fooba"),
        ("data:image/png;base64,Zm9vYmFy", "foobar"), ("data:image/png;BASE64,Zm9v%59mFy", "foobar"),
        ("data:,A%20brief%20note", "A brief note"), ("data:text/plain,100%", "100%"),
    ])
    func theDataIsInTheLink(_ text: String, _ expected: String) throws {
        #expect(try DataLink.bytes(of: text) == Array(expected.utf8))
    }

    @Test(arguments: ["data:image/png;base64", "data:;base64,Z", "data:;base64,Zm9v*", "data:;base64,Zg==Zg"])
    func damagedDataIsRefused(_ text: String) {
        let error = #expect(throws: PrepError.self) { try DataLink.bytes(of: text) }
        #expect(error?.code == .invalidURL)
    }

    @Test func longDataIsRefused() {
        let text = "data:," + String(repeating: "a", count: DataLink.longest + 1)
        let error = #expect(throws: PrepError.self) { try DataLink.bytes(of: text) }
        #expect(error?.code == .inputTooLarge)
    }
}
