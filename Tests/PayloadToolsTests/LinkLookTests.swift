import AttachmentPrep
import Foundation
import MediaTypes
import PayloadTools
import TestSupport
import Testing

/// What is said of a link by what is behind it; what really is behind links is LinkTests' business.
@Suite struct LinkLookTests {
    private static let apns =
        #"{"aps":{"alert":"a","mutable-content":1},"image_url":"https://cdn.example/a.jpg"}"#
    private static let android =
        #"{"message":{"token":"t","notification":{"title":"a","image":"https://cdn.example/a.jpg"},"android":{}}}"#

    struct Seen: Sendable {
        var format: MediaFormat? = .jpeg
        var bytes = 1000
        var seconds = 0.1
        var isCut = false
        var code: PrepError.Code?
        let apns: [String]
        let android: [String]
    }

    @Test(arguments: [
        Seen(apns: [], android: []),
        // Apple's limits: 10 MB for images, 50 MB for video, 5 MB for sound; FCM's: 1,048,576 bytes and 5
        // seconds.
        Seen(bytes: 1_000_000, apns: [], android: []),
        Seen(bytes: 1_000_001, apns: ["link-heavy"], android: ["link-heavy"]),
        Seen(bytes: 1_048_576, apns: ["link-heavy"], android: ["link-heavy"]),
        Seen(bytes: 1_048_577, apns: ["link-heavy"], android: ["fcm-image-too-large"]),
        Seen(bytes: 10_000_000, apns: ["link-heavy"], android: ["fcm-image-too-large"]),
        Seen(bytes: 10_000_001, isCut: true, apns: ["link-too-large"], android: ["fcm-image-too-large"]),
        Seen(seconds: 5.0, apns: [], android: []),
        Seen(seconds: 5.1, apns: ["link-slow"], android: ["fcm-image-slow"]),
        Seen(format: .png, apns: ["link-type-mismatch"], android: ["link-type-mismatch"]),
        Seen(format: .webp, apns: ["link-type-not-accepted"], android: ["link-type-mismatch"]),
        Seen(format: .heic, apns: ["link-type-not-accepted"], android: ["link-type-mismatch"]),
        Seen(format: .html, apns: ["link-type-not-accepted"], android: ["link-type-not-accepted"]),
        Seen(format: .svg, apns: ["link-type-not-accepted"], android: ["link-type-not-accepted"]),
        Seen(format: nil, apns: ["link-type-not-accepted"], android: ["link-type-not-accepted"]),
        Seen(
            format: .mp4, bytes: 50_000_000, apns: ["link-type-mismatch"], android: ["link-type-not-accepted"]
        ),
        Seen(
            format: .mp4, bytes: 50_000_001, apns: ["link-type-mismatch", "link-too-large"],
            android: ["link-type-not-accepted"]),
        Seen(
            format: .mp3, bytes: 5_000_001, apns: ["link-type-mismatch", "link-too-large"],
            android: ["link-type-not-accepted"]),
        Seen(code: .timeLimit, apns: ["link-too-slow"], android: ["link-too-slow"]),
        Seen(code: .inputTooLarge, apns: ["link-too-large"], android: ["link-too-large"]),
        Seen(code: .truncated, apns: ["link-truncated"], android: ["link-truncated"]),
        Seen(code: .auth, apns: ["link-unreachable"], android: ["link-unreachable"]),
        Seen(code: .expired, apns: ["link-unreachable"], android: ["link-unreachable"]),
    ])
    func whatIsSaid(_ seen: Seen) {
        var look = LinkLook()
        look.format = seen.format
        look.bytes = seen.bytes
        look.seconds = seen.seconds
        look.isCut = seen.isCut
        look.error = seen.code.map { PrepError($0, .input, "told by the test") }
        var options = CheckOptions()
        let answer = look
        options.probe = { _ in answer }
        for (text, expected) in [(Self.apns, seen.apns), (Self.android, seen.android)] {
            let report = PayloadCheck.report(on: Array(text.utf8), options)
            #expect(report.findings.map(\.rule.code) == expected, "\(seen)")
            if seen.code != nil { #expect(report.findings.first?.what.contains("told by the test") == true) }
        }
    }

    @Test func noLinkThatCannotBeFetchedIsLookedAt() {
        var options = CheckOptions()
        options.probe = { link in
            Issue.record("\(link) was looked at")
            return LinkLook()
        }
        for link in [
            "ftp://a.example/a.jpg", "/a.jpg", "https:///a.jpg", "file:///a.jpg", "https://u@a.example/a.jpg",
        ] {
            let text = #"{"aps":{"alert":"a","mutable-content":1},"image_url":"LINK"}"#
            _ = PayloadCheck.report(
                on: Array(text.replacingOccurrences(of: "LINK", with: link).utf8), options)
        }
    }
}
