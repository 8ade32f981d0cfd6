// What is not explained here, Apple's documentation explains.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A stand-in of the same shape as Apple's module, as far as this package uses it, for tests on Linux.
///
/// What the real one does with a file is known from its documentation and header only; each rule names its source.
open class UNNotificationContent {
    public fileprivate(set) var title = ""
    public fileprivate(set) var subtitle = ""
    public fileprivate(set) var body = ""
    public fileprivate(set) var categoryIdentifier = ""
    public fileprivate(set) var userInfo: [AnyHashable: Any] = [:]
    public fileprivate(set) var attachments: [UNNotificationAttachment] = []

    public init() {}

    /// NSObject's way to a copy that can be changed.
    public func mutableCopy() -> Any {
        let copy = UNMutableNotificationContent()
        copy.title = title
        copy.subtitle = subtitle
        copy.body = body
        copy.categoryIdentifier = categoryIdentifier
        copy.userInfo = userInfo
        copy.attachments = attachments
        return copy
    }
}

open class UNMutableNotificationContent: UNNotificationContent {
    override public var title: String {
        get { super.title }
        set { super.title = newValue }
    }
    override public var subtitle: String {
        get { super.subtitle }
        set { super.subtitle = newValue }
    }
    override public var body: String {
        get { super.body }
        set { super.body = newValue }
    }
    override public var categoryIdentifier: String {
        get { super.categoryIdentifier }
        set { super.categoryIdentifier = newValue }
    }
    override public var userInfo: [AnyHashable: Any] {
        get { super.userInfo }
        set { super.userInfo = newValue }
    }
    override public var attachments: [UNNotificationAttachment] {
        get { super.attachments }
        set { super.attachments = newValue }
    }
}

open class UNNotificationRequest {
    public let identifier: String
    public let content: UNNotificationContent

    public init(identifier: String, content: UNNotificationContent) {
        self.identifier = identifier
        self.content = content
    }
}

/// What an extension's principal class is derived from.
open class UNNotificationServiceExtension {
    public required init() {}

    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    open func serviceExtensionTimeWillExpire() {}
}
