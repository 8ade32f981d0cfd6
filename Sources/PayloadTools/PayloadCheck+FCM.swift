// What FCM's HTTP v1 API takes, and what its own code shows.

/// The fields of a block of a message (FCM's reference of projects.messages).
private struct FCMBlock {
    let path: [String]
    let fields: Set<String>

    init(_ path: String, _ fields: String) {
        self.path = path.split(separator: ".").map(String.init)
        // JSON names of protocol buffers: both spellings are taken.
        let names = fields.split(separator: " ").map(String.init)
        self.fields = Set(names + names.map(Self.camelCase))
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(words.first.map(String.init) ?? "") {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }

    static let all = [
        FCMBlock("", "name data notification android webpush apns fcm_options token topic condition"),
        FCMBlock("notification", "title body image"),
        FCMBlock("fcm_options", "analytics_label"),
        FCMBlock(
            "android",
            "collapse_key priority ttl restricted_package_name data notification fcm_options direct_boot_ok "
                + "bandwidth_constrained_ok restricted_satellite_ok"),
        FCMBlock(
            "android.notification",
            "title body icon color sound tag click_action body_loc_key body_loc_args title_loc_key "
                + "title_loc_args "
                + "channel_id ticker sticky event_time local_only notification_priority default_sound "
                + "default_vibrate_timings default_light_settings vibrate_timings visibility "
                + "notification_count "
                + "light_settings image bypass_proxy_notification proxy"),
        FCMBlock("android.fcm_options", "analytics_label"),
        FCMBlock("webpush", "headers data notification fcm_options"),
        FCMBlock("webpush.fcm_options", "link analytics_label"),
        FCMBlock("apns", "headers payload fcm_options live_activity_token"),
        FCMBlock("apns.fcm_options", "analytics_label image"),
    ]
}

extension PayloadCheck {
    mutating func checkFCM(message: Int, _ links: [MediaLink]) {
        for block in FCMBlock.all { checkFields(of: block, in: message) }
        let targets = ["token", "topic", "condition"].compactMap { document.member(message, $0) }
        if targets.count > 1 { add(.fcmTargets, "there are \(targets.count) targets", at: targets[1]) }
        for path in [
            ["data"], ["android", "data"], ["webpush", "data"], ["webpush", "headers"], ["apns", "headers"],
        ] {
            checkTexts(in: document.member(message, path: path), isData: path.last == "data")
        }
        checkBlocks(of: message, links)
        checkSizes(of: message)
        checkAppleSide(of: message, links)
    }

    private mutating func checkFields(of block: FCMBlock, in message: Int) {
        guard let object = document.member(message, path: block.path) else { return }
        guard document.kind(object) == .object else {
            return add(
                .fcmFieldType, "\(block.path.last ?? "message") is \(document.shown(object))", at: object)
        }
        for child in document.children(object) {
            guard let name = document.key(child), !block.fields.contains(name) else { continue }
            let place = block.path.isEmpty ? "message" : block.path.joined(separator: ".")
            let words = ["image", "picture", "photo", "media", "attachment"]
            let isPicture =
                words.contains { name.lowercased().contains($0) } && document.kind(child) == .string
            if ApsKey.folded(name) == "mutablecontent" {
                add(.mutableContentOutside, "\(name) stands in \(place), not in apns.payload.aps", at: child)
            } else {
                add(
                    isPicture ? .fcmImageWrongBlock : .fcmUnknownField, "\(place) has no field \(name)",
                    at: child)
            }
        }
    }

    private mutating func checkTexts(in object: Int?, isData: Bool) {
        guard let object else { return }
        guard document.kind(object) == .object else {
            return add(.fcmFieldType, "\(document.shown(object)) is no object", at: object)
        }
        for child in document.children(object) {
            let name = document.key(child) ?? ""
            if document.kind(child) != .string {
                add(.fcmDataNotText, "\(name) is \(document.shown(child))", at: child)
            }
            let isReserved =
                name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
            if isData, isReserved { add(.fcmDataReserved, "the key \(name) is reserved", at: child) }
        }
    }

    private mutating func checkBlocks(of message: Int, _ links: [MediaLink]) {
        let shown = [["notification"], ["android", "notification"]].compactMap {
            document.member(message, path: $0)
        }.first
        let data = [["data"], ["android", "data"]].compactMap { document.member(message, path: $0) }.first
        if let shown, let data, isForAndroid(message) {
            let hasImage = links.contains { [.everywhere, .android].contains($0.channel) }
            if let link = links.first(where: { $0.channel == .data }), !hasImage {
                add(.fcmImageInData, "there is a notification block, and the link is in data", at: link.node)
            } else {
                add(.fcmBothBlocks, "there are both a notification block and data", at: max(shown, data))
            }
        } else if let data, shown == nil, isForAndroid(message) {
            let priority = document.member(message, path: ["android", "priority"]).flatMap(document.string)
            if priority?.lowercased() != "high" {
                add(.fcmPriority, "a data message without android.priority HIGH", at: data)
            }
        }
    }

    private func isForAndroid(_ message: Int) -> Bool {
        if document.member(message, "android") != nil { return true }
        return document.member(message, "apns") == nil && document.member(message, "webpush") == nil
    }

    private mutating func checkSizes(of message: Int) {
        let (first, count) = document.blocks(ofMessage: message)
        let limit = PayloadLimits.bytes
        if let first, count > limit {
            add(
                .fcmTooLarge, "notification and data have \(count) bytes, \(count - limit) over \(limit)",
                at: first)
        }
        if let payload = document.member(message, path: ["apns", "payload"]) {
            checkSize(of: payload, counted: document.minimised(payload).count)
        }
    }

    private mutating func checkAppleSide(of message: Int, _ links: [MediaLink]) {
        guard let apns = document.member(message, "apns"), document.kind(apns) == .object else { return }
        if let headers = document.member(apns, "headers"), document.kind(headers) == .object {
            let lines = document.children(headers).map {
                APNsHeaders.Line(
                    name: (document.key($0) ?? "").lowercased(),
                    value: document.string($0) ?? document.shown($0),
                    node: $0)
            }
            checkHeaders(lines, alone: false)
        }
        let texts = [["notification", "title"], ["notification", "body"]]
        let isAlertElsewhere = texts.contains { isFilled(document.member(message, path: $0)) }
        // FCM's own picture, which its extension fetches like another.
        let pictures = links.filter { [.apns, .everywhere].contains($0.channel) }
        guard let payload = document.member(apns, "payload") else {
            if let link = pictures.first {
                add(
                    .mutableContentMissing, "there is a picture for iOS, and no apns.payload.aps",
                    at: link.node)
            }
            return
        }
        guard let aps = document.member(payload, "aps") else {
            if !pictures.isEmpty { add(.mutableContentMissing, "apns.payload has no aps", at: payload) }
            return
        }
        let before = findings.count
        checkAPNs(payload: payload, links: links, isAlertElsewhere: isAlertElsewhere)
        let isSaid = findings[before...].contains { $0.rule.code.hasPrefix("mutable-content") }
        if !isSaid, !pictures.isEmpty, document.kind(aps) == .object,
            document.member(aps, "mutable-content") == nil
        {
            add(.mutableContentMissing, "there is a picture for iOS, and no mutable-content", at: aps)
        }
    }
}
