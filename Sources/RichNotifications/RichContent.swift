#if canImport(UserNotifications)
    public import UserNotifications

    /// What a content extension needs to know of a notification, and of itself.
    public enum RichContent {
        /// Where the service extension leaves the picture's height divided by its width.
        public static let ratioKey = "attachprep-size-ratio"

        /// Height divided by width of the notification's picture, without opening it; nil where there is none.
        ///
        /// For `preferredContentSize`: a view that is of the right height from the start does not jump.
        public static func sizeRatio(of content: UNNotificationContent) -> Double? {
            guard let ratio = content.userInfo[ratioKey] as? Double, ratio > 0, ratio.isFinite else {
                return nil
            }
            return ratio
        }

        /// The height at which a view of that width shows the whole picture.
        ///
        /// - Parameter limit: the tallest the view may be, as a multiple of its width.
        public static func height(
            for content: UNNotificationContent, width: Double, limit: Double = 1.5
        ) -> Double? {
            sizeRatio(of: content).map { width * min($0, limit) }
        }
    }

    /// What a content extension's Info.plist says under `NSExtension`, `NSExtensionAttributes`
    /// (Apple: UNNotificationContentExtension).
    public struct ContentExtensionAttributes: Hashable, Sendable {
        /// Categories the extension is for; compared letter by letter.
        public let categories: [String]
        /// Height divided by width before the view says otherwise.
        public let initialContentSizeRatio: Double?
        /// Whether the standard text below the view is hidden.
        public let hidesDefaultContent: Bool

        /// Reads `Bundle.main.infoDictionary`; nil where the attributes are missing.
        public init?(infoDictionary: [String: Any]) {
            guard let own = infoDictionary["NSExtension"] as? [String: Any],
                let attributes = own["NSExtensionAttributes"] as? [String: Any]
            else { return nil }
            let category = attributes["UNNotificationExtensionCategory"]
            categories = category as? [String] ?? (category as? String).map { [$0] } ?? []
            initialContentSizeRatio =
                attributes["UNNotificationExtensionInitialContentSizeRatio"] as? Double
            hidesDefaultContent =
                attributes["UNNotificationExtensionDefaultContentHidden"] as? Bool ?? false
        }

        /// Why a notification of that category does not open this extension; nil where it does.
        public func problem(with category: String) -> String? {
            if categories.contains(category) { return nil }
            if categories.isEmpty { return "UNNotificationExtensionCategory names no category" }
            if category.isEmpty { return "the payload's aps names no category" }
            if let near = categories.first(where: { $0.lowercased() == category.lowercased() }) {
                return "the payload says '\(category)', Info.plist '\(near)': case counts"
            }
            return "'\(category)' is not among \(categories.joined(separator: ", "))"
        }
    }
#endif
