// What iOS reads of a payload.

extension PayloadCheck {
    /// Checks a payload of APNs: the whole document, or what FCM passes on.
    mutating func checkAPNs(payload: Int, links: [MediaLink], isAlertElsewhere: Bool) {
        guard let aps = document.member(payload, "aps") else { return }
        guard document.kind(aps) == .object else {
            return add(.apsNotAnObject, "aps is \(document.shown(aps))", at: aps)
        }
        let range = document.nodes[payload].range
        let hasLink = links.contains { link in
            link.channel == .apns && range.contains(document.nodes[link.node].range.lowerBound)
        }
        checkMutableContent(payload, aps, hasLink: hasLink)
        if document.member(aps, "content-state") == nil, isForAlerts {
            checkAlert(aps, isAlertElsewhere: isAlertElsewhere)
        }
        checkKeys(of: aps)
        checkCategory(aps)
        let names = [
            "apns-push-type", "apns-priority", "apns-topic", "apns-expiration", "apns-collapse-id", "apns-id",
        ]
        for child in document.children(payload) {
            guard let key = document.key(child), names.contains(key.lowercased()) else { continue }
            add(.headerInPayload, "\(key) stands in the payload", at: child)
        }
    }

    /// Whether the headers say nothing else than that something is shown.
    private var isForAlerts: Bool {
        guard let type = options.headers?["apns-push-type"] else { return true }
        return type == "alert" || type == "background" || !APNsHeaders.topicSuffixes.keys.contains(type)
    }

    private mutating func checkMutableContent(_ payload: Int, _ aps: Int, hasLink: Bool) {
        if let inside = document.member(aps, "mutable-content") {
            if !document.raw(inside).elementsEqual("1".utf8) {
                add(.mutableContentNotOne, "mutable-content is \(document.shown(inside))", at: inside)
            }
            return
        }
        let outside = document.children(payload).first {
            document.key($0).map(ApsKey.folded) == "mutablecontent"
        }
        if let outside {
            add(.mutableContentOutside, "mutable-content stands beside aps, not in it", at: outside)
        } else if hasLink, !document.children(aps).contains(where: { isMisspelt($0, "mutable-content") }) {
            add(.mutableContentMissing, "there is a link to a picture, and no mutable-content", at: aps)
        }
    }

    private func isMisspelt(_ node: Int, _ name: String) -> Bool {
        guard let key = document.key(node) else { return false }
        return key != name && ApsKey.folded(key) == ApsKey.folded(name)
    }

    private mutating func checkAlert(_ aps: Int, isAlertElsewhere: Bool) {
        guard let alert = document.member(aps, "alert"), document.kind(alert) != .null else {
            if isAlertElsewhere { return }
            let others = document.children(aps).compactMap(document.key)
            if others.contains("content-available"), !others.contains("sound"), !others.contains("badge") {
                return add(.contentAvailableOnly, "aps has content-available and no alert", at: aps)
            }
            return add(.noAlert, "aps has no alert", at: aps)
        }
        switch document.kind(alert) {
        case .string:
            if !isFilled(alert) { add(.alertEmpty, "the alert is empty", at: alert) }
        case .object:
            let texts = ["title", "subtitle", "body", "loc-key", "title-loc-key", "subtitle-loc-key"]
            if !isAlertElsewhere, !texts.contains(where: { isFilled(document.member(alert, $0)) }) {
                add(.alertEmpty, "the alert has neither title nor body", at: alert)
            }
        default: add(.alertType, "the alert is \(document.shown(alert))", at: alert)
        }
    }

    private mutating func checkKeys(of aps: Int) {
        for child in document.children(aps) {
            if isFull { return }
            guard let name = document.key(child) else { continue }
            if let key = ApsKey.all.first(where: { $0.name == name }) {
                checkValue(child, key)
            } else if let key = ApsKey.all.first(where: { ApsKey.folded($0.name) == ApsKey.folded(name) }) {
                add(.apsKeyMisspelt, "\(name) should be \(key.name)", at: child)
            } else if document.string(child).map(LinkText.isLink) == true {
                add(.linkInsideAPS, "the link \(document.shown(child)) stands in aps", at: child)
            } else {
                add(.apsKeyUnknown, "aps has no key \(name)", at: child)
            }
        }
    }

    private mutating func checkValue(_ node: Int, _ key: ApsKey) {
        // Their own rules say more.
        let hasOwnRule = ["alert", "mutable-content", "category"].contains(key.name)
        if !hasOwnRule, !key.kinds.contains(document.kind(node)) {
            add(.apsKeyType, "\(key.name) is \(document.shown(node))", at: node)
        }
        if let oldest = options.minimumIOS, oldest < IOSVersion(key.since) {
            add(
                .apsKeyNewer, "\(key.name) is known since iOS \(key.since), and there are users of \(oldest)",
                at: node)
        }
        if key.name == "interruption-level", let level = document.string(node),
            !["passive", "active", "time-sensitive", "critical"].contains(level)
        {
            add(.interruptionLevel, "there is no interruption level \(document.shown(node))", at: node)
        }
    }

    private mutating func checkCategory(_ aps: Int) {
        let known = options.categories + (options.extensionPlist?.categories ?? [])
        guard let node = document.member(aps, "category") else {
            if options.extensionPlist?.categories.isEmpty == false {
                add(.categoryMissing, "there is a content extension, and no category", at: aps)
            }
            return
        }
        guard let category = document.string(node) else {
            return add(.apsKeyType, "category is \(document.shown(node))", at: node)
        }
        guard !known.isEmpty, !known.contains(category) else { return }
        if let near = known.first(where: { $0.lowercased() == category.lowercased() }) {
            add(
                .categoryCase, "the category is \(document.shown(node)), and the app knows \"\(near)\"",
                at: node)
        } else {
            let list = known.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
            add(
                .categoryUnknown, "the category is \(document.shown(node)), and the app knows \(list)",
                at: node)
        }
    }
}
