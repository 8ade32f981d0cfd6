package import AttachmentPrep

/// What the Info.plist of a notification extension says.
package struct ExtensionPlist: Sendable {
    let point: String?
    /// Of a content extension; empty where there are none.
    let categories: [String]
    let hasCategoryKey: Bool
    let hasRatio: Bool
    /// Nil where Xcode has yet to fill it in.
    let minimumOS: IOSVersion?

    static let service = "com.apple.usernotifications.service"
    static let content = "com.apple.usernotifications.content-extension"

    /// Reads a property list in XML.
    ///
    /// - Throws: `invalid-payload` for anything else, and for the list of something that is no extension.
    package init(_ bytes: [UInt8]) throws(PrepError) {
        let list = try PropertyListReader.read(bytes)
        guard let ours = list["NSExtension"], case .dictionary = ours else {
            throw PrepError(
                .invalidPayload, .input,
                "there is no NSExtension in it; it is the extension's Info.plist that is asked for, not "
                    + "the app's"
            )
        }
        point = ours["NSExtensionPointIdentifier"]?.string
        let attributes = ours["NSExtensionAttributes"]
        let category = attributes?["UNNotificationExtensionCategory"]
        categories = category?.strings ?? []
        hasCategoryKey = category != nil
        hasRatio = attributes?["UNNotificationExtensionInitialContentSizeRatio"] != nil
        minimumOS = (list["MinimumOSVersion"]?.string).flatMap { IOSVersion($0) }
    }
}

extension PayloadCheck {
    /// The extension's own faults, which no payload can make good.
    mutating func checkExtension() {
        guard let plist = options.extensionPlist else { return }
        if let minimum = plist.minimumOS, let oldest = options.minimumIOS, oldest < minimum {
            add(
                .extensionTooNew, "the extension wants iOS \(minimum), and there are users of \(oldest)",
                outside: "MinimumOSVersion")
        }
        switch plist.point {
        case ExtensionPlist.service: break
        case ExtensionPlist.content:
            if plist.categories.isEmpty || plist.categories.contains("") {
                let what = plist.hasCategoryKey ? "the category is no text" : "there is no category"
                add(.extensionCategory, what, outside: "UNNotificationExtensionCategory")
            }
            if !plist.hasRatio {
                add(
                    .extensionRatio, "there is no ratio",
                    outside: "UNNotificationExtensionInitialContentSizeRatio")
            }
        default:
            let what =
                plist.point.map { "the extension point is '\($0.prefix(80))'" }
                ?? "there is no extension point"
            add(.extensionPoint, what, outside: "NSExtensionPointIdentifier")
        }
    }
}
