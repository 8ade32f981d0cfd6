#if canImport(UserNotifications)
    internal import AttachmentPrep
    public import NotificationFlow
    public import UserNotifications

    /// A service extension that is ready: derive the extension's principal class from it and say how its flow is made.
    ///
    /// The system may keep the process and give it several notifications at a time, so nothing here belongs to one of
    /// them but what its `NotificationRun` holds.
    open class RichNotificationService: UNNotificationServiceExtension {
        /// Notifications that were not answered yet.
        fileprivate let pending = Monitor<[Answer]>([])
        private static let flows = Monitor<[ObjectIdentifier: NotificationFlow]>([:])

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
            let content = request.content
            let answer = Answer(self, content, contentHandler)
            // Before the flow is made, which may take a while the first time.
            pending.update { $0.append(answer) }
            guard let flow = Self.flow() else { return answer.giveOriginal() }
            answer.begin(by: flow)
        }

        /// Delivers the best there is of every notification on its way; the system does not say which one it means.
        override open func serviceExtensionTimeWillExpire() {
            for answer in pending.update({ $0 }) { answer.expire() }
        }

        private static func flow() -> NotificationFlow? {
            flows.update { flows in
                if let flow = flows[ObjectIdentifier(self)] { return flow }
                let flow = try? makeFlow()
                flows[ObjectIdentifier(self)] = flow
                return flow
            }
        }

        /// A subclass that does not say how its flow is made.
        private struct UnfinishedService: Error {}
    }

    /// A content handler, which is called once.
    ///
    /// Safety: its closure and content are the system's, which allows them on any thread; all else is behind a lock.
    @safe private final class Answer: @unchecked Sendable {
        private struct State {
            var run: NotificationRun?
            var isExpired = false
            var isGiven = false
        }

        private let service: RichNotificationService
        private let content: UNNotificationContent
        private let handler: (UNNotificationContent) -> Void
        private let state = Monitor(State())

        init(
            _ service: RichNotificationService, _ content: UNNotificationContent,
            _ handler: @escaping (UNNotificationContent) -> Void
        ) {
            self.service = service
            self.content = content
            self.handler = handler
        }

        var isGiven: Bool { state.update { $0.isGiven } }

        func begin(by flow: NotificationFlow) {
            if isGiven { return }
            let run = flow.begin(
                NotificationPayload(userInfo: content.userInfo),
                shown: NotificationText(
                    title: content.title, subtitle: content.subtitle, body: content.body)
            ) { self.give($0) }
            let isLate = state.update { state in
                if !state.isGiven { state.run = run }
                return state.isExpired
            }
            if isLate { run.expire() }
        }

        /// Gives what there is; before there is a flow, the notification as it came.
        func expire() {
            let run = state.update { state in
                state.isExpired = true
                return state.run
            }
            if let run { run.expire() } else { giveOriginal() }
        }

        func giveOriginal() {
            guard take() else { return }
            defer { leave() }
            handler(content)
        }

        private func give(_ delivery: Delivery) {
            guard take() else {
                delivery.attachment?.discard()
                return
            }
            defer { leave() }
            guard let content = content.mutableCopy() as? UNMutableNotificationContent else {
                return handler(content)
            }
            content.apply(delivery) { service.options(for: $0) }
            service.finish(content, delivery)
            handler(content)
        }

        /// Whether the handler may be called now, and never again.
        private func take() -> Bool {
            state.update { state in
                defer {
                    state.isGiven = true
                    state.run = nil
                }
                return !state.isGiven
            }
        }

        /// Lets the service go, which may be another one for the next notification.
        private func leave() { service.pending.update { $0.removeAll { $0 === self } } }
    }
#endif
