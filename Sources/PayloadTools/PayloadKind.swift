/// Which service a payload is for, as its shape says.
package enum PayloadKind: String, Sendable {
    /// `aps` at the top.
    case apns
    /// `{"message": {...}}`, the body of FCM's HTTP v1 API.
    case fcm
    /// The same without its envelope, as FCM's Admin SDKs take it.
    case fcmMessage = "fcm-message"
    /// `to` or `registration_ids` beside `notification` or `data`: the API that FCM shut down in 2024.
    case fcmLegacy = "fcm-legacy"
    /// Nothing that either service takes.
    case unknown

    init(_ document: JSONDocument) {
        func has(_ name: String) -> Bool { document.member(0, name) != nil }
        let blocks = ["notification", "data", "android", "webpush"]
        if has("aps") {
            self = .apns
        } else if let message = document.member(0, "message"), document.kind(message) == .object {
            self = .fcm
        } else if blocks.contains(where: has), has("to") || has("registration_ids") {
            self = .fcmLegacy
        } else if blocks.contains(where: has) || document.member(0, path: ["apns", "payload"]) != nil {
            self = .fcmMessage
        } else {
            self = .unknown
        }
    }

    /// For people.
    package var name: String {
        switch self {
        case .apns: "APNs"
        case .fcm: "FCM HTTP v1"
        case .fcmMessage: "FCM message"
        case .fcmLegacy: "FCM legacy"
        case .unknown: "unknown"
        }
    }
}
