#if canImport(UserNotifications)
    public import NotificationFlow
    internal import Synchronization
    public import UserNotifications

    /// A service extension that is ready: derive the extension's principal class from it and say how its flow is made.
    ///
    /// The system may keep the process and give it several notifications at a time, so nothing here belongs to one of
    /// them but what its `NotificationRun` holds.
    open class RichNotificationService: UNNotificationServiceExtension {
        private let runs = Mutex<[NotificationRun]>([])
        private static let flows = Mutex<[ObjectIdentifier: NotificationFlow]>([:])

        /// Makes the flow, once for the process.
        ///
        /// - Throws: where it cannot be made; notifications are then shown as they came.
        open class func makeFlow() throws -> NotificationFlow {
            throw UnfinishedService()
        }

        /// How an attachment is shown.
        open func options(for media: NotificationMedia) -> AttachmentOptions { AttachmentOptions(media) }

        /// The last chance to change what is shown, on a thread of the flow's.
        open func finish(_ content: UNMutableNotificationContent, _ delivery: Delivery) {}

        /// Begins the work for a notification.
        override open func didReceive(
            _ request: UNNotificationRequest,
            withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            guard let flow = Self.flow() else { return contentHandler(request.content) }
            let content = request.content
            let answer = Answer(self, content, contentHandler)
            let run = flow.begin(
                NotificationPayload(userInfo: content.userInfo),
                shown: NotificationText(
                    title: content.title, subtitle: content.subtitle, body: content.body)
            ) { answer.give($0) }
            runs.withLock { runs in
                runs.removeAll(where: \.isDelivered)
                runs.append(run)
            }
        }

        /// Delivers the best there is of every notification on its way; the system does not say which one it means.
        override open func serviceExtensionTimeWillExpire() {
            for run in runs.withLock({ $0 }) { run.expire() }
        }

        private static func flow() -> NotificationFlow? {
            flows.withLock { flows in
                if let flow = flows[ObjectIdentifier(self)] { return flow }
                let flow = try? makeFlow()
                flows[ObjectIdentifier(self)] = flow
                return flow
            }
        }

        /// A subclass that does not say how its flow is made.
        private struct UnfinishedService: Error {}
    }

    /// A content handler and what it is owed.
    ///
    /// Safety: its closure and content are the system's, which allows them on any thread; the flow calls `give` once.
    @safe private final class Answer: @unchecked Sendable {
        private let service: RichNotificationService
        private let content: UNNotificationContent
        private let handler: (UNNotificationContent) -> Void

        init(
            _ service: RichNotificationService, _ content: UNNotificationContent,
            _ handler: @escaping (UNNotificationContent) -> Void
        ) {
            self.service = service
            self.content = content
            self.handler = handler
        }

        func give(_ delivery: Delivery) {
            guard let content = content.mutableCopy() as? UNMutableNotificationContent else {
                return handler(content)
            }
            content.apply(delivery) { service.options(for: $0) }
            service.finish(content, delivery)
            handler(content)
        }
    }
#endif
