import AttachmentPrep
import Foundation
import LinkFetch
import NotificationFlow
import RichNotifications
import TestSupport
import Testing
import UserNotifications

/// What articles on rich pushes do wrong, each failing in its own way, and the same push by ours.
@Suite struct FaultyWaysTests {
    typealias Attach = (_ downloaded: URL, _ link: URL, _ folder: URL) throws -> UNNotificationAttachment?

    /// An extension that downloads to a temporary file without an extension, as URLSession does, and then goes its way.
    final class FaultyService: UNNotificationServiceExtension {
        var attach: Attach = { _, _, _ in nil }
        var folder = URL(fileURLWithPath: "/")
        var answers = true

        override func didReceive(
            _ request: UNNotificationRequest,
            withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            guard let content = request.content.mutableCopy() as? UNMutableNotificationContent,
                let text = content.userInfo["image_url"] as? String, let link = URL(string: text)
            else { return contentHandler(request.content) }
            let downloaded = folder.appendingPathComponent("CFNetworkDownload_\(UUID().uuidString).tmp")
            try? Data(Phone.photo).write(to: downloaded)
            if let attachment = try? attach(downloaded, link, folder) { content.attachments = [attachment] }
            if answers { contentHandler(content) }
        }
    }

    private static let text = NotificationSystem.Shown.text(title: "Order", body: "changed")
    private static let original = NotificationSystem.Shown.original(title: "Order", body: "changed")

    private final class Desk {
        let folder: TemporaryFolder
        let system: NotificationSystem

        init() throws {
            folder = try TemporaryFolder()
            try FileManager.default.createDirectory(
                atPath: folder.path + "/store", withIntermediateDirectories: true)
            system = NotificationSystem(store: folder.path + "/store")
        }

        func content(_ link: String) -> UNMutableNotificationContent {
            let content = UNMutableNotificationContent()
            content.title = "Order"
            content.body = "changed"
            content.userInfo = ["image_url": link]
            return content
        }

        func show(_ link: String, answers: Bool = true, _ attach: @escaping Attach)
            -> NotificationSystem.Shown
        {
            let service = FaultyService()
            service.attach = attach
            service.folder = URL(fileURLWithPath: folder.path)
            service.answers = answers
            return system.show(content(link), by: service, seconds: answers ? 5 : 0.1)
        }
    }

    final class OurService: RichNotificationService {
        static let phone = try? Phone()
        override class func makeFlow() throws -> NotificationFlow {
            guard let phone else { throw CocoaError(.fileNoSuchFile) }
            return phone.flow()
        }
    }

    /// The same push, by ours.
    private func ours(_ link: String, _ desk: Desk) throws -> NotificationSystem.Shown {
        let phone = try #require(OurService.phone)
        phone.network.set(link, .body(Phone.photo))
        return desk.system.show(desk.content(link), by: OurService(), seconds: 60)
    }

    private func expectPicture(
        _ shown: NotificationSystem.Shown, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .media("Order", "changed", "public.jpeg", _) = shown else {
            Issue.record("\(shown)", sourceLocation: sourceLocation)
            return
        }
    }

    /// Second article: the download's own place, `….tmp`, is attached.
    @Test func aFileWithoutAnExtensionIsOfNoType() throws {
        let desk = try Desk()
        let link = "https://a.example/image.jpg"
        let shown = desk.show(link) { downloaded, _, _ in
            try UNNotificationAttachment(identifier: "media", url: downloaded)
        }
        #expect(shown == Self.text)
        let file = URL(fileURLWithPath: try desk.folder.file("CFNetworkDownload_x.tmp", Phone.photo))
        let error = #expect(throws: UNError.self) {
            _ = try UNNotificationAttachment(identifier: "media", url: file)
        }
        #expect(error?.code == .attachmentUnrecognizedType)
        expectPicture(try ours(link, desk))
    }

    /// First sample: the link's last path component is the name, so a link without an extension has no type.
    @Test func aSuffixlessLinkMakesANameWithoutAType() throws {
        let desk = try Desk()
        let link = "https://shop.example/download?id=15"
        let shown = desk.show(link) { downloaded, link, folder in
            let target = folder.appendingPathComponent(link.lastPathComponent)
            try? FileManager.default.moveItem(at: downloaded, to: target)
            return try UNNotificationAttachment(identifier: "image", url: target)
        }
        #expect(shown == Self.text)
        expectPicture(try ours(link, desk))
    }

    /// First sample: two pushes whose links end alike; `try?` hides that the second file is not moved.
    @Test func equalLastPathComponentsShowTheOtherPicture() throws {
        let desk = try Desk()
        let old = try desk.folder.file(
            "cover.jpg", [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 96))
        let shown = desk.show("https://a.example/2/cover.jpg") { downloaded, link, folder in
            let target = folder.appendingPathComponent(link.lastPathComponent)
            try? FileManager.default.moveItem(at: downloaded, to: target)
            return try UNNotificationAttachment(identifier: "image", url: target)
        }
        // A hundred bytes: the one before, not the one downloaded.
        #expect(shown == .media(title: "Order", body: "changed", type: "public.jpeg", bytes: 100))
        #expect(!FileManager.default.fileExists(atPath: old))
        let first = try ours("https://a.example/1/cover.jpg", desk)
        let phone = try #require(OurService.phone)
        let other = try JPEGSamples.make(.waves(300, 300, seed: 9), ["-progressive", "-quality", "70"])
        phone.network.set("https://a.example/2/cover.jpg", .body(other))
        let second = desk.system.show(
            desk.content("https://a.example/2/cover.jpg"), by: OurService(), seconds: 60)
        expectPicture(first)
        expectPicture(second)
        #expect(first != second)
    }

    /// Fifth article: the hint is "jpg", and no uniform type identifier.
    @Test func anExtensionIsNoTypeHint() throws {
        let desk = try Desk()
        let link = "https://a.example/image.jpg"
        for hint in ["jpg", "image/jpeg"] {
            let shown = desk.show(link) { downloaded, _, folder in
                let target = folder.appendingPathComponent("\(UUID().uuidString).jpg")
                try FileManager.default.moveItem(at: downloaded, to: target)
                return try UNNotificationAttachment(
                    identifier: "image", url: target,
                    options: [UNNotificationAttachmentOptionsTypeHintKey: hint])
            }
            #expect(shown == Self.text, "hint \(hint)")
        }
        expectPicture(try ours(link, desk))
    }

    /// Fifth article: the link itself is attached.
    @Test func aRemoteURLIsNoAttachment() throws {
        let desk = try Desk()
        let link = "https://a.example/image.jpg"
        let error = #expect(throws: UNError.self) {
            _ = try UNNotificationAttachment(identifier: "image", url: try #require(URL(string: link)))
        }
        #expect(error?.code == .attachmentInvalidURL)
        #expect(desk.show(link) { _, link, _ in try .init(identifier: "image", url: link) } == Self.text)
        expectPicture(try ours(link, desk))
    }

    /// Third article and others: on a failure the handler is never called, and nothing is done when time is up.
    @Test func aHandlerThatIsNeverCalledShowsTheOriginal() throws {
        let desk = try Desk()
        let link = "https://a.example/broken"
        #expect(desk.show(link, answers: false) { _, _, _ in nil } == Self.original)
        let phone = try #require(OurService.phone)
        phone.network.set(link, .end(.unknownHost))
        #expect(desk.system.show(desk.content(link), by: OurService(), seconds: 60) == Self.text)
    }
}
