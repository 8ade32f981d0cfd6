import AttachmentPrep
import Foundation
import LinkFetch
import TestSupport
import Testing

@testable import NotificationFlow

@Suite struct FlowTests {
    private static let link = "https://a.example/picture"
    private static let withLink = #","image_url":"https://a.example/picture""#

    private func deliver(
        _ flow: NotificationFlow, _ more: String = FlowTests.withLink, deadline: Duration = .seconds(60)
    ) throws -> Delivery {
        let deliveries = Deliveries()
        flow.begin(try Phone.payload(more), deadline: deadline, deliver: deliveries.take)
        let delivery = try #require(deliveries.first())
        #expect(deliveries.count == 1)
        return delivery
    }

    private func size(_ media: NotificationMedia) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: media.path.display)).count
    }

    @Test func aPictureComesWithItsTypeAndName() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .body(Phone.photo))
        let delivery = try deliver(phone.flow())
        let media = try #require(delivery.attachment)
        #expect(delivery.reason == .finished)
        #expect(delivery.text == NotificationText(title: "Order", body: "changed"))
        #expect(media.typeHint == "public.jpeg")
        #expect(media.path.display.hasSuffix(".jpg"))
        // 1200 x 300 in a box of 1038: 1038 x 259.5, rounded half up.
        #expect((media.width, media.height) == (1038, 260))
        #expect(abs((media.sizeRatio ?? 0) - 260.0 / 1038) < 1e-9)
        #expect(try size(media) == media.bytes)
        #expect(media.bytes <= 300_000)
        // The banner's square is as high as the picture: 260 of its 1038 columns.
        let square = try #require(media.clippingRect)
        #expect(square.height == 1 && square.y == 0)
        #expect(abs(square.width - 260.0 / 1038) < 0.002)
        #expect(square.x >= 0 && square.x + square.width <= 1)
        #expect(
            try JPEGSamples.reference(Array(Data(contentsOf: URL(filePath: media.path.display)))).width
                == 1038)
    }

    @Test func theNextPushWithThePictureNeedsNoNetwork() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .body(Phone.photo, headers: ["Cache-Control: max-age=1000"]))
        let first = try #require(try deliver(phone.flow()).attachment)
        // The system takes it away.
        try FileManager.default.removeItem(atPath: first.path.display)
        let second = try #require(try deliver(phone.flow()).attachment)
        #expect(second.path != first.path)
        #expect(try size(second) == first.bytes)
        #expect(phone.network.requests == [Self.link])
    }

    @Test(arguments: [
        "", #","image_url":{"x":7}"#, #","fcm_options":["https://a.example/picture"]"#,
    ])
    func withoutALinkTheTextComesAlone(_ more: String) throws {
        let phone = try Phone()
        let delivery = try deliver(phone.flow(), more)
        guard case .none = delivery.media else {
            Issue.record("media \(delivery.media)")
            return
        }
        #expect(phone.network.requests.isEmpty)
    }

    /// Codes of SPEC 4.
    @Test(arguments: [
        (ScriptedNetwork.Answer.body([]), PrepError.Code.empty, 1),
        (.body([], status: 404), .notFound, 1), (.body([], status: 403), .auth, 1),
        (.body([], status: 410), .expired, 1), (.body([], status: 500), .httpStatus, 3),
        (.body(Array("<!DOCTYPE html><html>".utf8)), .htmlDocument, 1),
        (.end(.unknownHost), .network, 3), (.end(.insecure), .network, 3), (.end(.noConnection), .network, 3),
        (.half(Phone.photo), .truncated, 3), (.redirect("http://a.example/x"), .insecureURL, 1),
        (.redirect("https://a.example/picture"), .redirectLimit, 6),
    ])
    func whatGoesWrongIsToldAndTheTextComes(
        _ answer: ScriptedNetwork.Answer, _ code: PrepError.Code, _ requests: Int
    ) throws {
        let phone = try Phone()
        phone.network.set(Self.link, answer)
        let delivery = try deliver(phone.flow())
        guard case .failed(let error) = delivery.media else {
            Issue.record("media \(delivery.media)")
            return
        }
        #expect(error.code == code)
        #expect(phone.network.requests.count == requests)
        #expect(delivery.text.title == "Order")
        #expect(phone.handedOut.isEmpty)
    }

    @Test func aServerThatFailedOnceIsAskedAgain() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .half(Phone.photo), .end(.broken), .body(Phone.photo))
        #expect(try deliver(phone.flow()).attachment != nil)
        #expect(phone.network.requests.count == 3)
    }

    @Test func aTransientFailureIsForgottenUntilTheNextPush() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .body([], status: 500))
        #expect(try deliver(phone.flow()).attachment == nil)
        phone.network.set(Self.link, .body(Phone.photo))
        #expect(try deliver(phone.flow()).attachment != nil)
    }

    // MARK: - Time

    @Test func atTheDeadlineTheTextComesWithoutThePicture() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .silence)
        let delivery = try deliver(phone.flow(), deadline: .milliseconds(200))
        #expect(delivery.reason == .expired)
        guard case .late = delivery.media else {
            Issue.record("media \(delivery.media)")
            return
        }
        #expect(delivery.text.body == "changed")
    }

    @Test func expiryOnAnotherThreadDeliversAtOnceAndOnce() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .silence)
        let deliveries = Deliveries()
        let run = phone.flow().begin(try Phone.payload(Self.withLink), deliver: deliveries.take)
        let threads = (0..<8).compactMap { _ in SystemThread { run.expire() } }
        threads.forEach { $0.join() }
        #expect(run.isDelivered)
        #expect(deliveries.first()?.reason == .expired)
        run.cancel()
        usleep(50_000)
        #expect(deliveries.count == 1)
    }

    @Test func aDeliveryMayExpireOtherRunsAndItself() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .silence)
        let holder = Monitor<NotificationRun?>(nil)
        let (others, deliveries) = (Deliveries(), Deliveries())
        let other = phone.flow().begin(try Phone.payload(Self.withLink), deliver: others.take)
        let run = phone.flow().begin(try Phone.payload()) { delivery in
            let own = holder.wait { $0 }
            own.expire()
            other.expire()
            deliveries.take(delivery)
        }
        holder.update { $0 = run }
        #expect(deliveries.first()?.reason == .finished)
        #expect(others.first()?.reason == .expired)
        run.expire()
        #expect(deliveries.count == 1)
        #expect(others.count == 1)
    }

    @Test func aWorkThatNeverReturnsDelaysNothing() throws {
        struct Stuck: NotificationDetails {
            let isDone: @Sendable () -> Void
            func details(
                for payload: NotificationPayload, _ limits: FlowLimits
            ) throws(PrepError) -> JSONValue? {
                // Looks at no limit.
                usleep(1_500_000)
                isDone()
                return .object(["title": .string("too late")])
            }
        }
        let phone = try Phone()
        var flow = phone.flow()
        let isDone = Monitor(false)
        let doneAtDelivery = Monitor<Bool?>(nil)
        flow.details = [Stuck { isDone.update { $0 = true } }]
        let deliveries = Deliveries()
        flow.begin(try Phone.payload(Self.withLink), deadline: .milliseconds(100)) { delivery in
            doneAtDelivery.update { $0 = isDone.update { $0 } }
            deliveries.take(delivery)
        }
        let delivery = try #require(deliveries.first())
        #expect(doneAtDelivery.update { $0 } == false)
        #expect(delivery.reason == .expired)
        #expect(delivery.text.title == "Order")
        while !isDone.update({ $0 }) { usleep(10_000) }
        usleep(100_000)
        #expect(phone.network.requests.isEmpty)
        #expect(deliveries.count == 1)
    }

    // MARK: - Networks and tokens

    @Test func aConstrainedNetworkShowsOnlyWhatIsThere() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .body(Phone.photo, headers: ["Cache-Control: max-age=1000"]))
        var flow = phone.flow()
        flow.network = { .constrained }
        guard case .heldBack = try deliver(flow).media else {
            Issue.record("it was fetched")
            return
        }
        #expect(phone.network.requests.isEmpty)
        #expect(try deliver(phone.flow()).attachment != nil)
        #expect(try deliver(flow).attachment != nil)
        #expect(phone.network.requests.count == 1)
    }

    @Test func anExpensiveNetworkMayHaveItsLimit() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .body(Phone.photo))
        var flow = phone.flow()
        flow.network = { .expensive }
        flow.policy.expensive = .upTo(bytes: Phone.photo.count - 1)
        guard case .failed(let error) = try deliver(flow).media else {
            Issue.record("it was fetched")
            return
        }
        #expect(error.code == .inputTooLarge)
        flow.policy.expensive = .upTo(bytes: Phone.photo.count)
        #expect(try deliver(flow).attachment != nil)
    }

    @Test func tokensGoToTheirHostsOnly() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .redirect("https://b.example/picture"))
        phone.network.set("https://b.example/picture", .body(Phone.photo))
        var flow = phone.flow()
        flow.tokens = [
            MediaToken(for: ["A.example", "c.example"]) { "t0k3n" }, MediaToken(for: ["d.example"]) { nil },
        ]
        #expect(try deliver(flow).attachment != nil)
        #expect(phone.network.headers(Self.link).contains("Authorization: Bearer t0k3n"))
        #expect(
            phone.network.headers("https://b.example/picture").allSatisfy { !$0.hasPrefix("Authorization") })
    }

    // MARK: - Files

    @Test func filesAndBundledNamesAreAttachedToo() throws {
        let phone = try Phone()
        let path = try phone.folder.file("a b.heic", Phone.photo)
        var flow = phone.flow()
        flow.bundledFile = { $0 == "cat" ? FilePath(path) : nil }
        let url = "file://" + path.replacingOccurrences(of: " ", with: "%20")
        #expect(try deliver(flow, #","image_url":"\#(url)""#).attachment?.typeHint == "public.jpeg")
        #expect(try deliver(flow, #","image_url":"cat""#).attachment != nil)
        for missing in ["dog", "file:///nowhere/at/all.jpg"] {
            guard case .failed(let error) = try deliver(flow, #","image_url":"\#(missing)""#).media else {
                Issue.record("\(missing) was found")
                continue
            }
            #expect(error.code == .io)
        }
        // The app's own file stays.
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(phone.network.requests.isEmpty)
    }

    // MARK: - Memory

    @Test func aJobIsRefusedBeforeItTakesWhatTheProcessHasNot() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .body(Phone.photo))
        var flow = phone.flow()
        flow.availableMemory = { 2_500_000 }
        guard case .failed(let error) = try deliver(flow).media else {
            Issue.record("it was prepared")
            return
        }
        #expect(error.code == .memoryLimit)
        flow.availableMemory = { 20_000_000 }
        #expect(try deliver(flow).attachment != nil)
    }

    @Test func overlappingPushesEachGetTheirOwnFile() throws {
        let phone = try Phone()
        phone.network.set(Self.link, .body(Phone.photo))
        let flow = phone.flow()
        let all = (0..<12).map { _ in Deliveries() }
        for deliveries in all {
            flow.begin(try Phone.payload(Self.withLink), deadline: .seconds(60), deliver: deliveries.take)
        }
        let media = try all.map { try #require($0.first()?.attachment) }
        #expect(Set(media.map(\.path)).count == 12)
        for file in media {
            #expect(try size(file) == media[0].bytes)
            // What one taker moves away is not missing for the others.
            try FileManager.default.removeItem(atPath: file.path.display)
        }
        #expect(all.allSatisfy { $0.count == 1 })
    }
}
