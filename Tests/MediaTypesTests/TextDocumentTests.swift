import MediaTypes
import Testing

/// Text in a picture's place.
@Suite struct TextDocumentTests {
    private func sniff(_ text: String) -> Answer { Answer(ascii(text)) }

    @Test(arguments: [
        "<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "\u{FEFF}<html lang=en>", "<HEAD/>", "<html",
        "<!-- error --><html>", "<!-- only a comment", "<?xml version='1.0'?><!DOCTYPE html><html>",
        "<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'>",
        "<br />\n<b>Warning</b>: include() failed", "<title>502 Bad Gateway</title>",
    ])
    func html(_ text: String) {
        #expect(sniff(text).format == .html)
        #expect(sniff(text).rejection == .htmlDocument)
    }

    @Test(arguments: [
        "<!-- Generator: X --><svg>", "\u{FEFF} \n<svg xmlns='…'>", "<svg:svg>",
        "<?xml version='1.0'?><!-- a > b --><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN'>",
        "<?xml version='1.0'?><?xml-stylesheet href='a.css'?><!DOCTYPE x [<!ENTITY a '>'>]><svg>",
    ])
    func svg(_ text: String) {
        #expect(sniff(text).format == .svg)
        #expect(sniff(text).rejection == .unsupportedFormat)
    }

    @Test(arguments: [
        "<?xml version='1.0'?><rss/>", "<?xml version='1.0'?>", "<?xml version='1.0'",
        "<!DOCTYPE plist><plist>",
        "<?xml version='1.0'?><Error><Message>no code</Message></Error>", "<?xml version='1.0'?><title>",
    ])
    func xml(_ text: String) {
        #expect(sniff(text).format == .xml)
        #expect(sniff(text).rejection == .unsupportedFormat)
    }

    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message>",
        "\u{FEFF}<?xml version='1.0'?><Error>\n <Code>BlobNotFound</Code>",
        "<Error><Code>NoSuchKey</Code></Error>",
        "<?xml version='1.0'?><Error xmlns='x'><RequestId>1</RequestId><Code>NoSuchBucket</Code>",
    ])
    func storageError(_ text: String) {
        #expect(sniff(text).format == .xml)
        #expect(sniff(text).rejection == .errorDocument)
    }

    @Test(arguments: [
        "{\"error\":\"not found\"}", "{}", " {\n  \"a\": 1 }", "[]", "[ 1, 2 ]", "[-1.5e3]", "[true]",
        "[null,1]",
        "[\"a\"]", "\u{FEFF}{\"a\":1}",
    ])
    func json(_ text: String) {
        #expect(sniff(text).format == .json)
        #expect(sniff(text).rejection == .errorDocument)
    }

    @Test(arguments: [
        "{\\rtf1\\ansi", "[settings]\nkey=1", "[2024-05-01] started", "[tru]", "{ x", "[", "{", "<header>",
        "<?php echo 1;", "<bodyguard>", "< html>", "<", "<!", "<x>", "a<html>", "Error: <html>",
    ])
    func other(_ text: String) {
        #expect(sniff(text).format == .unknown)
        #expect(sniff(text).rejection == .unknownFormat)
    }

    @Test(arguments: [true, false]) func utf16(bigEndian: Bool) {
        func encode(_ text: String) -> [UInt8] {
            text.utf16.flatMap { unit -> [UInt8] in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return bigEndian ? [high, low] : [low, high]
            }
        }
        #expect(Answer(encode("\u{FEFF}<?xml version='1.0'?><é/>")).format == .xml)
        #expect(Answer(encode("<?xml version='1.0'?><svg>")).format == .svg)
        #expect(Answer(encode("\u{FEFF}<HTML>")).format == .html)
        #expect(Answer(encode("\u{FEFF}{\"a\":1}")).format == .json)
        #expect(Answer(encode("\u{FEFF}hello")).format == .unknown)
        #expect(Answer(encode("\u{FEFF}<html>") + [0]).format == .html)
    }

    /// An element that comes too late is not waited for.
    @Test func rootBehindFourKibibytes() {
        let comment = "<!--" + String(repeating: "x", count: 5000) + "-->"
        #expect(sniff("<?xml version='1.0'?>" + comment + "<svg>").format == .xml)
        #expect(openAnswer(ascii("<?xml version='1.0'?>" + comment)).format == .xml)
    }
}
