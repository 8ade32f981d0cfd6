// What is not explained here, Apple's documentation explains.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

internal import FoundationEssentials
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// What iOS does with a push and a service extension, for tests: it is not in Apple's module.
public final class NotificationSystem: Sendable {
    /// What the user sees of a push.
    public enum Shown: Hashable, Sendable {
        /// Text and a picture, film or sound of that type and size.
        case media(title: String, body: String, type: String, bytes: Int)
        case text(title: String, body: String)
        /// The push as it came, as the extension said nothing in time.
        case original(title: String, body: String)
    }

    /// Where attachments go: files are moved here, so they are gone from where they were
    /// (documentation of UNNotificationAttachment).
    private let store: String
    private let counter = Mutex(0)

    public init(store: String) { self.store = store }

    /// Hands a push to an extension and shows what comes of it.
    ///
    /// - Parameters:
    ///   - seconds: what iOS gives an extension, about 30.
    ///   - grace: milliseconds it has when it was told that time is up; a moment on a phone, but this may be a slow machine.
    ///   - calls: told how often the handler was called.
    public func show(
        _ content: UNNotificationContent, by service: UNNotificationServiceExtension, seconds: Double,
        grace: Int = 10_000, calls: (Int) -> Void = { _ in }
    ) -> Shown {
        let answers = Mutex<[Shown]>([])
        let original = Shown.original(title: content.title, body: content.body)
        let system = self
        service.didReceive(UNNotificationRequest(identifier: "push", content: content)) { content in
            let shown = system.accepted(content)
            answers.withLock { $0.append(shown) }
        }
        let start = ContinuousClock.now
        while answers.withLock({ $0.isEmpty }), ContinuousClock.now - start < .seconds(seconds) {
            usleep(1000)
        }
        if answers.withLock({ $0.isEmpty }) {
            // "Called on a separate thread" just before the extension is ended; a moment later it is.
            service.serviceExtensionTimeWillExpire()
            let end = ContinuousClock.now + .milliseconds(grace)
            while answers.withLock({ $0.isEmpty }), ContinuousClock.now < end { usleep(1000) }
        }
        usleep(20_000)
        let all = answers.withLock { $0 }
        calls(all.count)
        return all.first ?? original
    }

    /// Validates attachments a second time and moves them away; what fails here fails without a word.
    private func accepted(_ content: UNNotificationContent) -> Shown {
        let text = Shown.text(title: content.title, body: content.body)
        guard let attachment = content.attachments.first,
            let cap = UNNotificationAttachment.caps[attachment.type]
        else { return text }
        let path = attachment.url.path
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_size > 0, status.st_size <= cap,
            Self.isWhatItSays(path, attachment.type)
        else { return text }
        let number = counter.withLock { number in
            number += 1
            return number
        }
        guard unsafe rename(path, "\(store)/\(number)") == 0 else { return text }
        return .media(
            title: content.title, body: content.body, type: attachment.type, bytes: Int(status.st_size))
    }

    /// The type's family decides who shows it; its first bytes whether that one can.
    private static func isWhatItSays(_ path: String, _ type: String) -> Bool {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return false }
        let head = Array(data.prefix(12))
        let isImage =
            head.starts(with: [0xFF, 0xD8, 0xFF]) || head.starts(with: [0x89, 0x50, 0x4E, 0x47])
            || head.starts(with: Array("GIF8".utf8))
        return ["public.jpeg", "public.png", "com.compuserve.gif"].contains(type) ? isImage : !isImage
    }
}
