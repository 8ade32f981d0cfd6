internal import AttachmentPrep
package import NotificationFlow
internal import PayloadTools

/// What APNs and iOS make of a payload before an extension sees it.
package enum PushFate: Hashable, Sendable {
    /// APNs does not take it.
    case refused(String)
    /// It shows nothing.
    case silent(String)
    /// It is shown as it came, without the extension.
    case withoutExtension(String)
    /// The extension gets it.
    case runs

    /// Bytes of a payload without the white space around it, which no sender's library sends.
    static func size(of json: [UInt8]) -> Int {
        guard let start = json.firstIndex(where: { !JSONDocument.isSpace($0) }),
            let end = json.lastIndex(where: { !JSONDocument.isSpace($0) })
        else { return 0 }
        return end - start + 1
    }

    /// Judges a payload as APNs gets it.
    ///
    /// - Parameter bytes: of its JSON as sent, white space around it apart.
    init(of payload: NotificationPayload, bytes: Int) {
        let alert = payload["aps.alert"]
        let isShown =
            switch alert {
            case .string(let text): !text.isEmpty
            case .object(let members): !members.isEmpty
            default: false
            }
        if payload["aps"]?.object == nil {
            self = .refused("there is no aps object")
        } else if bytes > PayloadLimits.bytes {
            self = .refused("\(bytes) bytes, and APNs takes \(PayloadLimits.bytes)")
        } else if !isShown {
            self = .silent(
                payload["aps.content-available"]?.number == 1
                    ? "content-available without an alert is for the app, if it runs"
                    : "there is no alert to show")
        } else if payload["aps.mutable-content"]?.number != 1 {
            self = .withoutExtension(
                payload["mutable-content"] == nil
                    ? "aps has no mutable-content of 1, so the extension is not started"
                    : "mutable-content stands outside aps, where iOS does not look")
        } else {
            self = .runs
        }
    }
}

extension NotificationPayload {
    /// The payload APNs gets of what a sender wrote: itself, or what FCM makes of a message.
    ///
    /// FCM puts `data` beside `aps`, writes `notification` as its alert and hands on `apns.payload`
    /// (FCM: Message.apns, ApnsConfig, ApnsFcmOptions).
    package var asSentToAPNs: NotificationPayload {
        if self["aps"] != nil { return self }
        let message = self["message"]?.object != nil ? "message." : ""
        func part(_ name: String) -> JSONValue? { self[PayloadPath(message + name)] }
        guard part("notification") != nil || part("apns") != nil || part("data") != nil else { return self }
        var members = part("data")?.object ?? [:]
        for (name, value) in part("apns.payload")?.object ?? [:] { members[name] = value }
        var aps = members["aps"]?.object ?? [:]
        if aps["alert"] == nil, let notification = part("notification")?.object {
            aps["alert"] = .object(notification.filter { ["title", "body"].contains($0.key) })
        }
        members["aps"] = .object(aps)
        if let image = part("apns.fcm_options.image") ?? part("notification.image") {
            members["fcm_options"] = .object(["image": image])
        }
        return NotificationPayload(members)
    }
}
