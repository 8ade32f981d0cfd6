import AttachmentPrep
import Foundation
import MediaTypes
import TestSupport
import Testing
import UserNotifications

@testable import NotificationFlow
@testable import RichNotifications

/// The glue, compiled from the source that Apple's systems get, on a stand-in for their module.
@Suite struct RichServiceTests {
    /// A service over a phone of its own; flows are kept for each class, so each test has one.
    class Service: RichNotificationService {
        class var phone: Phone? { nil }

        override class func makeFlow() throws -> NotificationFlow {
            guard let phone else { throw CocoaError(.fileNoSuchFile) }
            return phone.flow()
        }
    }

    private static func content(_ more: [String: Any]) -> UNMutableNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = "Order"
        content.body = "changed"
        content.categoryIdentifier = "OrderShipped"
        var info: [AnyHashable: Any] = [
            "aps": ["alert": ["title": "Order", "body": "changed"], "mutable-content": 1]
        ]
        for (key, value) in more { info[key] = value }
        content.userInfo = info
        return content
    }

    private static func system(_ phone: Phone) throws -> NotificationSystem {
        let store = phone.folder.path + "/store"
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        return NotificationSystem(store: store)
    }

    final class GoodService: Service {
        static let own = try? Phone()
        override class var phone: Phone? { own }
    }

    @Test func apushShowsItsPicture() throws {
        let phone = try #require(GoodService.phone)
        phone.network.set(
            "https://a.example/download?id=15", .body(Phone.photo, headers: ["Cache-Control: max-age=1000"]))
        let system = try Self.system(phone)
        // Twice, as the system takes the file away each time.
        for _ in 0..<2 {
            var calls = 0
            let shown = system.show(
                Self.content(["image_url": "https://a.example/download?id=15"]), by: GoodService(),
                seconds: 60
            ) { calls = $0 }
            guard case .media("Order", "changed", "public.jpeg", let bytes) = shown else {
                Issue.record("\(shown)")
                continue
            }
            #expect(bytes > 1000)
            #expect(calls == 1)
        }
        #expect(phone.network.requests.count == 1)
    }

    final class SlowService: Service {
        static let own = try? Phone()
        override class var phone: Phone? { own }
    }

    @Test func whenTimeIsUpEveryPushOnItsWayGetsItsText() throws {
        let phone = try #require(SlowService.phone)
        phone.network.set("https://a.example/silent", .silence)
        let system = try Self.system(phone)
        var calls = 0
        let shown = system.show(
            Self.content(["image_url": "https://a.example/silent"]), by: SlowService(), seconds: 0.3
        ) { calls = $0 }
        #expect(shown == .text(title: "Order", body: "changed"))
        #expect(calls == 1)
    }

    final class TwoPushesService: Service {
        static let own = try? Phone()
        override class var phone: Phone? { own }
    }

    @Test func oneExpiryEndsAllPushesOfAService() throws {
        let phone = try #require(TwoPushesService.phone)
        phone.network.set("https://a.example/silent", .silence)
        let service = TwoPushesService()
        let shown = Monitor<[String]>([])
        for number in 1...2 {
            let content = Self.content(["image_url": "https://a.example/silent"])
            content.body = "push \(number)"
            service.didReceive(UNNotificationRequest(identifier: "\(number)", content: content)) { content in
                shown.update { $0.append(content.body) }
            }
        }
        service.serviceExtensionTimeWillExpire()
        let both = shown.wait(milliseconds: 60_000) { $0.count == 2 ? $0 : nil }
        #expect(both.map { Set($0) } == ["push 1", "push 2"])
        usleep(50_000)
        #expect(shown.update { $0.count } == 2)
    }

    /// Its time is up while its flow is made.
    final class SlowlyMadeService: Service {
        static let current = Monitor<SlowlyMadeService?>(nil)

        override class func makeFlow() throws -> NotificationFlow {
            current.update { $0?.serviceExtensionTimeWillExpire() }
            return try Phone().flow()
        }
    }

    @Test func timeMayBeUpBeforeThereIsAFlow() throws {
        let service = SlowlyMadeService()
        SlowlyMadeService.current.update { $0 = service }
        let shown = Monitor<[String]>([])
        let content = Self.content([:])
        content.body = "as it came"
        service.didReceive(UNNotificationRequest(identifier: "push", content: content)) { content in
            shown.update { $0.append(content.body) }
        }
        usleep(50_000)
        #expect(shown.update { $0 } == ["as it came"])
    }

    final class ShortLivedService: Service {
        static let own = try? Phone()
        override class var phone: Phone? { own }
    }

    /// The system may make another one for each push of a process that lives on.
    @Test func aServiceGoesWhenItsPushesAreAnswered() throws {
        let phone = try #require(ShortLivedService.phone)
        phone.network.set("https://a.example/silent", .silence)
        for hasLink in [false, true] {
            weak var service: ShortLivedService?
            let calls = Monitor(0)
            do {
                let made = ShortLivedService()
                service = made
                let more = hasLink ? ["image_url": "https://a.example/silent"] : [:]
                let request = UNNotificationRequest(identifier: "push", content: Self.content(more))
                made.didReceive(request) { _ in calls.update { $0 += 1 } }
                if hasLink { made.serviceExtensionTimeWillExpire() }
            }
            #expect(calls.wait(milliseconds: 60_000) { $0 == 1 ? true : nil } == true)
            // The thread that called the handler lets go a moment later.
            for _ in 0..<5_000 where service != nil { usleep(1_000) }
            #expect(service == nil)
        }
    }

    final class UnmadeService: Service {}

    @Test func withoutAFlowThePushIsShownAsItCame() throws {
        var calls = 0
        let phone = try Phone()
        let shown = try Self.system(phone).show(Self.content([:]), by: UnmadeService(), seconds: 5) {
            calls = $0
        }
        #expect(shown == .text(title: "Order", body: "changed"))
        #expect(calls == 1)
    }

    final class FinishingService: Service {
        static let own = try? Phone()
        override class var phone: Phone? { own }

        override func options(for media: NotificationMedia) -> AttachmentOptions {
            var options = super.options(for: media)
            options.typeHint = "image/jpeg"
            return options
        }

        override func finish(_ content: UNMutableNotificationContent, _ delivery: Delivery) {
            content.body += "!"
        }
    }

    @Test func anAttachmentThatIsRefusedLeavesTextAndNoFile() throws {
        let phone = try #require(FinishingService.phone)
        phone.network.set("https://a.example/p", .body(Phone.photo))
        let shown = try Self.system(phone).show(
            Self.content(["image_url": "https://a.example/p"]), by: FinishingService(), seconds: 60)
        #expect(shown == .text(title: "Order", body: "changed!"))
        #expect(phone.handedOut.isEmpty)
    }

    // MARK: - Options and content

    private func media(_ type: String = "public.jpeg") -> NotificationMedia {
        NotificationMedia(
            path: FilePath("/tmp/a.jpg"), typeHint: type, format: .jpeg, bytes: 10, width: 400, height: 300,
            clippingRect: ClippingRect(x: 0.25, y: 0, width: 0.5, height: 1))
    }

    @Test func optionsAreAsTheHeaderWantsThem() throws {
        var options = AttachmentOptions(media())
        options.hidesThumbnail = true
        options.thumbnailTime = 3
        let dictionary = options.dictionary
        #expect(dictionary[UNNotificationAttachmentOptionsTypeHintKey] as? String == "public.jpeg")
        #expect(dictionary[UNNotificationAttachmentOptionsThumbnailHiddenKey] as? Bool == true)
        #expect(dictionary[UNNotificationAttachmentOptionsThumbnailTimeKey] as? Double == 3)
        // The four keys of CGRectCreateDictionaryRepresentation.
        let rect = dictionary[UNNotificationAttachmentOptionsThumbnailClippingRectKey] as? [String: Double]
        #expect(rect == ["X": 0.25, "Y": 0, "Width": 0.5, "Height": 1])
        options = AttachmentOptions(media())
        options.clippingRect = nil
        #expect(options.dictionary.count == 1)
    }

    @Test func aContentExtensionKnowsThePicturesHeight() throws {
        let content = UNMutableNotificationContent()
        #expect(RichContent.sizeRatio(of: content) == nil)
        content.userInfo[RichContent.ratioKey] = media().sizeRatio
        #expect(RichContent.sizeRatio(of: content) == 0.75)
        #expect(RichContent.height(for: content, width: 320) == 240)
        #expect(RichContent.height(for: content, width: 320, limit: 0.5) == 160)
        content.userInfo[RichContent.ratioKey] = "0.75"
        #expect(RichContent.sizeRatio(of: content) == nil)
    }

    @Test func categoriesAreComparedLetterByLetter() throws {
        func attributes(_ category: Any) throws -> ContentExtensionAttributes {
            try #require(
                ContentExtensionAttributes(infoDictionary: [
                    "NSExtension": [
                        "NSExtensionAttributes": [
                            "UNNotificationExtensionCategory": category,
                            "UNNotificationExtensionInitialContentSizeRatio": 0.6,
                        ]
                    ]
                ]))
        }
        let several = try attributes(["OrderShipped", "OrderPaid"])
        #expect(several.problem(with: "OrderPaid") == nil)
        #expect(several.initialContentSizeRatio == 0.6)
        #expect(!several.hidesDefaultContent)
        #expect(several.problem(with: "ordershipped")?.contains("case counts") == true)
        #expect(several.problem(with: "Other")?.contains("not among OrderShipped, OrderPaid") == true)
        #expect(several.problem(with: "")?.contains("names no category") == true)
        #expect(try attributes("OrderShipped").problem(with: "OrderShipped") == nil)
        #expect(ContentExtensionAttributes(infoDictionary: [:]) == nil)
    }

    @Test func userInfoIsReadAsJSONWouldBe() throws {
        let info: [AnyHashable: Any] = [
            "a": "text", "b": 1, "c": 1.5, "d": true, "e": [1, "x"], "f": ["g": ["h": "deep"]], 7: "no name",
            "date": Date(timeIntervalSince1970: 0),
        ]
        let payload = NotificationPayload(userInfo: info)
        #expect(payload["a"] == .string("text"))
        #expect(payload["b"] == .number(1))
        #expect(payload["c"] == .number(1.5))
        #expect(payload["d"] == .bool(true))
        #expect(payload["e"] == .array([.number(1), .string("x")]))
        #expect(payload["f.g.h"] == .string("deep"))
        #expect(payload["date"] == nil)
    }
}
