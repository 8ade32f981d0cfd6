import AttachmentPrep
import Foundation
import LinkFetch
import TestSupport
import Testing

@testable import NotificationFlow

@Suite struct SealAndDetailsTests {
    struct Keys: PayloadKeys {
        func key(named name: String?) -> [UInt8]? {
            name == "unknown" ? nil : (0..<32).map { UInt8($0) }
        }
    }

    /// `{"title":"Secret","body":"42","image_url":"https://a.example/sealed"}`, sealed by python3's cryptography.
    ///
    /// The key is 00 01 02 and so on to 1f, the nonce twelve bytes 07.
    static let sealed =
        "BwcHBwcHBwcHBwcHdEjSNRtjstb8v0Dl4yOR74NwrxHnk/g7xJlqyCbyEHJKJZYb3jWG/iDEg5W2Y6lVgWecKPvEeWrwmI2HQsvmkSnAlBD0y8jV"
        + "SVQVmfoePiQbpXGdMw=="

    private func deliver(
        _ more: String, _ phone: Phone, change: (inout NotificationFlow) -> Void = { _ in }
    ) throws -> Delivery {
        var flow = phone.flow()
        flow.seal = SealedPayload(keys: Keys())
        change(&flow)
        let deliveries = Deliveries()
        flow.begin(try Phone.payload(more), deadline: .seconds(60), deliver: deliveries.take)
        return try #require(deliveries.first())
    }

    @Test func whatWasSealedIsShownAndItsLinkFetched() throws {
        let phone = try Phone()
        phone.network.set("https://a.example/sealed", .body(Phone.photo))
        let delivery = try deliver(#","encrypted_data":"\#(Self.sealed)""#, phone)
        #expect(delivery.text == NotificationText(title: "Secret", body: "42"))
        #expect(delivery.attachment != nil)
        #expect(delivery.problems.isEmpty)
    }

    @Test(arguments: ["changed", "no Base64", "too short", "empty"])
    func whatCannotBeOpenedLeavesThePushAsItCame(_ fault: String) throws {
        let text =
            switch fault {
            case "changed": String(Self.sealed.dropLast(4)) + "AAA="
            case "no Base64": "*"
            case "too short": "AAAA"
            default: ""
            }
        let phone = try Phone()
        let delivery = try deliver(
            #","image_url":"https://a.example/open","encrypted_data":"\#(text)""#, phone)
        #expect(delivery.text == NotificationText(title: "Order", body: "changed"))
        #expect(delivery.problems.map(\.code) == [.invalidPayload])
        // Nor is anything else of it believed.
        #expect(phone.network.requests.isEmpty)
    }

    @Test func whatStandsBesideASealIsNotBelieved() throws {
        let phone = try Phone()
        phone.network.set("https://a.example/sealed", .body(Phone.photo))
        phone.network.set("https://evil.example/x", .body(Phone.photo))
        let delivery = try deliver(
            #","event_id":"1","loc-key":"t","image-url":"https://evil.example/x","#
                + #""image_url":"https://evil.example/x","encrypted_data":"\#(Self.sealed)""#, phone
        ) { $0.details = [self.details(phone), LocalizedDetails(PayloadReadingTests.Table())] }
        #expect(delivery.text == NotificationText(title: "Secret", body: "42"))
        #expect(delivery.attachment != nil)
        #expect(phone.network.requests == ["https://a.example/sealed"])
    }

    @Test func aKeyThatIsMissingIsTold() throws {
        let delivery = try deliver(#","key_id":"unknown","encrypted_data":"\#(Self.sealed)""#, Phone())
        #expect(delivery.problems.first?.message.contains("no key") == true)
        #expect(delivery.text.title == "Order")
    }

    @Test func aPushWithoutASealIsAsBefore() throws {
        #expect(try deliver("", Phone()).text.title == "Order")
        #expect(try deliver(#","encrypted_data":null"#, Phone()).problems.isEmpty)
    }

    // MARK: - Details

    private static let endpoint = "https://api.example/events/{id}?v=1"

    private func details(_ phone: Phone) -> EventDetails {
        var details = EventDetails(at: Self.endpoint, fetch: phone.flow().fetch) { "abc" }
        details.retryPause = .milliseconds(1)
        return details
    }

    @Test func detailsComeByIdAndTokenAndMayNameThePicture() throws {
        let phone = try Phone()
        let address = "https://api.example/events/a%2Fb%20%C3%A9?v=1"
        phone.network.set(
            address, .body(Array(#"{"body":"Parcel 7","image_url":"https://a.example/7"}"#.utf8)))
        phone.network.set("https://a.example/7", .body(Phone.photo))
        let delivery = try deliver(#","event_id":"a/b é""#, phone) { $0.details = [self.details(phone)] }
        #expect(delivery.text == NotificationText(title: "Order", body: "Parcel 7"))
        #expect(delivery.attachment != nil)
        #expect(phone.network.requests == [address, "https://a.example/7"])
        #expect(phone.network.headers(address).contains("Authorization: Bearer abc"))
        #expect(phone.network.headers(address).contains("Accept: application/json"))
        #expect(phone.network.headers("https://a.example/7").allSatisfy { !$0.hasPrefix("Authorization") })
    }

    @Test(arguments: [
        (ScriptedNetwork.Answer.body([], status: 401), PrepError.Code.auth),
        (.body(Array("[1]".utf8)), .invalidPayload), (.body(Array("<html>".utf8)), .invalidPayload),
        (.body([UInt8](repeating: 0x20, count: 70_000)), .inputTooLarge), (.end(.noConnection), .network),
    ])
    func detailsThatFailLeaveTextAndPicture(_ answer: ScriptedNetwork.Answer, _ code: PrepError.Code) throws {
        let phone = try Phone()
        phone.network.set("https://api.example/events/5?v=1", answer)
        phone.network.set("https://a.example/p", .body(Phone.photo))
        let delivery = try deliver(#","event_id":5,"image_url":"https://a.example/p""#, phone) {
            $0.details = [self.details(phone)]
        }
        #expect(delivery.problems.map(\.code) == [code])
        #expect(delivery.text.body == "changed")
        #expect(delivery.attachment != nil)
    }

    @Test(arguments: ["", #","event_id":"""#, #","event_id":null"#])
    func aPushWithoutAnIdAsksNobody(_ more: String) throws {
        let phone = try Phone()
        let delivery = try deliver(more, phone) { $0.details = [self.details(phone)] }
        #expect(phone.network.requests.isEmpty)
        #expect(delivery.problems.isEmpty)
    }

    /// Doubles hold whole numbers to 2^53 exactly: a rounded id would be another's.
    @Test(arguments: [
        "{}", "9007199254740993", "12345678901234567890", "1.5", #""..""#, #"".""#, "[1]", "true",
    ])
    func anIdThatIsNotExactAsksNobody(_ id: String) throws {
        let phone = try Phone()
        let delivery = try deliver(#","event_id":\#(id)"#, phone) { $0.details = [self.details(phone)] }
        #expect(phone.network.requests.isEmpty)
        #expect(delivery.problems.map(\.code) == [.invalidPayload])
    }

    @Test(arguments: ["https://api{id}/", "https://{id}.example/", "https://api.example", "{id}"])
    func anIdHasNoPlaceInTheHost(_ address: String) throws {
        let phone = try Phone()
        let delivery = try deliver(#","event_id":"a""#, phone) {
            $0.details = [EventDetails(at: address, fetch: $0.fetch) { "abc" }]
        }
        #expect(phone.network.requests.isEmpty)
        #expect(delivery.problems.map(\.code) == [.invalidURL])
    }

    @Test func aDetailsServerThatFailedOnceIsAskedAgain() throws {
        let phone = try Phone()
        phone.network.set(
            "https://api.example/events/5?v=1", .body([], status: 503), .body(Array(#"{"body":"b"}"#.utf8)))
        let delivery = try deliver(#","event_id":5"#, phone) { $0.details = [self.details(phone)] }
        #expect(delivery.text.body == "b")
        #expect(delivery.problems.isEmpty)
    }

    @Test func aTokenThatIsNoHeaderIsNotSent() throws {
        let phone = try Phone()
        let delivery = try deliver(#","event_id":"1""#, phone) {
            $0.details = [EventDetails(at: Self.endpoint, fetch: $0.fetch) { "a\r\nX: y" }]
        }
        #expect(delivery.problems.map(\.code) == [.auth])
        #expect(phone.network.requests.isEmpty)
    }

    @Test func wordsInTheUsersLanguageComeLast() throws {
        let phone = try Phone()
        phone.network.set(
            "https://api.example/events/1?v=1", .body(Array(#"{"loc-key":"k","loc-args":["Ann","3"]}"#.utf8)))
        let delivery = try deliver(#","event_id":"1""#, phone) {
            $0.details = [self.details(phone), LocalizedDetails(PayloadReadingTests.Table())]
        }
        #expect(delivery.text == NotificationText(title: "Order", body: "Ann has 3"))
    }
}
