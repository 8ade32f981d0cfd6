internal import MediaTypes

/// Who shows the picture behind a link.
package enum Channel: String, Sendable {
    /// An iOS notification service extension.
    case apns
    /// What FCM's own code shows on Android.
    case android
    /// A browser.
    case web
    /// `notification.image` of an FCM message: every platform.
    case everywhere
    /// The app itself, from the data of an FCM message.
    case data
}

/// A link to media in a payload.
package struct MediaLink: Sendable {
    /// The value: a string, or what stands where one should.
    package let node: Int
    package let channel: Channel
}

/// The keys at which payloads carry links to media.
///
/// A tree of names, walked beside the document: a payload is looked through once, however many keys are
/// known.
package struct MediaKeys: Hashable, Sendable {
    private struct Branch: Hashable, Sendable {
        let name: [UInt8]
        /// Nil where only longer paths lead to links.
        var channel: Channel?
        var branches: [Branch] = []
    }

    private var root: [Branch] = []

    private static let table: [(prefix: String, keys: [String], channel: Channel)] = [
        ("", PayloadMediaKeys.own, .apns),
        ("data", PayloadMediaKeys.own, .data),
        ("notification", ["image"], .everywhere),
        ("android.notification", ["image"], .android),
        ("android.data", PayloadMediaKeys.own, .data),
        ("apns.fcm_options", ["image"], .apns),
        ("apns.fcmOptions", ["image"], .apns),
        ("apns.payload", PayloadMediaKeys.own, .apns),
        ("apns.payload.data", PayloadMediaKeys.own, .apns),
        ("webpush.notification", ["image"], .web),
    ]

    /// All keys of the table, as they stand in APNs payloads and in FCM messages with and without their
    /// envelope.
    package static let known: MediaKeys = {
        var keys = MediaKeys()
        for row in table {
            let prefix = row.prefix.split(separator: ".").map(String.init)
            for key in row.keys {
                let names = prefix + key.split(separator: ".").map(String.init)
                insert(names, row.channel, into: &keys.root)
                if !prefix.isEmpty { insert(["message"] + names, row.channel, into: &keys.root) }
            }
        }
        return keys
    }()

    private init() {}

    /// Adds a key: names with dots between them (`media.links.big`), or a JSON pointer (RFC 6901) for names
    /// that have dots themselves (`/com.example.media/url`).
    ///
    /// - Returns: false for a path that names nothing.
    package mutating func add(_ path: String) -> Bool {
        let names = PayloadPathNames.read(path)
        guard !names.contains(""), names.count <= 32 else { return false }
        Self.insert(names, .apns, into: &root)
        return true
    }

    private static func insert(_ names: [String], _ channel: Channel, into branches: inout [Branch]) {
        guard let first = names.first else { return }
        let name = Array(first.utf8)
        let index = branches.firstIndex { $0.name == name } ?? branches.count
        if index == branches.count { branches.append(Branch(name: name)) }
        if names.count == 1 {
            branches[index].channel = branches[index].channel ?? channel
        } else {
            insert(Array(names.dropFirst()), channel, into: &branches[index].branches)
        }
    }

    /// What stands at the known keys, in the order of the text.
    ///
    /// An object at a key that may also hold a link is looked into; `null` and objects are no links.
    package func links(in document: JSONDocument) -> [MediaLink] {
        var links: [MediaLink] = []
        Self.walk(document, 0, root, &links)
        return links
    }

    private static func walk(
        _ document: JSONDocument, _ object: Int, _ branches: [Branch], _ links: inout [MediaLink]
    ) {
        guard document.kind(object) == .object else { return }
        for child in document.children(object) {
            for branch in branches where document.hasKey(child, branch.name) {
                switch document.kind(child) {
                case .object: walk(document, child, branch.branches, &links)
                case .null: break
                default:
                    if let channel = branch.channel { links.append(MediaLink(node: child, channel: channel)) }
                }
            }
        }
    }
}
