internal import AttachmentPrep
internal import MediaTypes

// What is wrong with a link as it is written.
extension PayloadCheck {
    mutating func checkLinks(_ links: [MediaLink]) {
        var seen = 0
        for link in links {
            guard let text = document.string(link.node) else {
                add(.linkNotText, "the link is \(document.shown(link.node))", at: link.node)
                continue
            }
            let isNamedLink = document.key(link.node)?.lowercased().contains("url") == true
            // A bundled picture's name is none to fetch.
            guard isNamedLink || LinkText.isLink(text) else { continue }
            seen += 1
            checkLink(text, link)
        }
        if seen == 0, links.isEmpty, kind != .unknown,
            !findings.contains(where: { $0.rule == .linkInsideAPS })
        {
            add(.noMediaLink, "there is no link to a picture", at: 0)
        }
    }

    /// Where a link will be read: a message's own blocks say which platforms it is for.
    func channels(of link: MediaLink) -> [Channel] {
        switch link.channel {
        case .everywhere: isForAppleDevices ? [.android, .apns] : [.android]
        case .data: kind == .apns ? [.apns] : []
        default: [link.channel]
        }
    }

    /// Whether an FCM message says something for iOS, or for no platform in particular.
    var isForAppleDevices: Bool {
        let message = document.member(0, "message") ?? 0
        if document.member(message, "apns") != nil { return true }
        return document.member(message, "android") == nil && document.member(message, "webpush") == nil
    }

    private mutating func checkLink(_ text: String, _ link: MediaLink) {
        let node = link.node
        let parts = LinkText(text)
        if let trouble = parts.trouble { return add(.linkInvalid, trouble.words, at: node) }
        switch parts.scheme {
        case "https": break
        case "http": add(.linkNotHTTPS, "the link begins with http:", at: node)
        // The flow of this package takes bundled files, under iOS only.
        case "file" where link.channel == .apns: return
        default: return add(.linkNotFetchable, "the link begins with \(parts.scheme.prefix(20)):", at: node)
        }
        if parts.isPrivate { add(.linkPrivateHost, "the link leads to \(parts.host)", at: node) }
        if let expiry = parts.expiry { add(.linkExpires, "the link runs out: \(expiry)", at: node) }
        for channel in channels(of: link) { checkExtension(of: parts, link, channel) }
        if let probe = options.probe {
            checkLook(probe(text), at: link, parts)
        }
    }

    private mutating func checkExtension(of parts: LinkText, _ link: MediaLink, _ channel: Channel) {
        guard let word = parts.claim.text, MediaFormat.allCases.contains(where: { $0.claims(parts.claim) })
        else {
            // FCM on Android and browsers look at the bytes.
            guard channel == .apns, !hasGoodHint, !findings.contains(.linkSuffixless, link.node, document)
            else {
                return
            }
            let what = parts.claim.text.map { "the link ends in .\($0), which is no type of media" }
            return add(.linkSuffixless, what ?? "the link's path has no extension", at: link.node)
        }
        let shown = ShownTypes.formats(channel)
        if shown.contains(where: { $0.claims(parts.claim) }) {
            if channel == .android, word == "gif" {
                add(.fcmImageStill, "the link leads to a .gif", at: link.node)
            }
            let isUpper = parts.path.utf8.suffix(word.utf8.count).contains { (0x41...0x5A).contains($0) }
            if channel == .apns, isUpper {
                add(.linkExtensionCase, "the link ends in .\(parts.path.suffix(word.count))", at: link.node)
            }
        } else if channel == .android, ShownTypes.byVersion.contains(where: { $0.claims(parts.claim) }) {
            add(.fcmImageVersion, "the link ends in .\(word)", at: link.node)
        } else {
            let platform = channel == .apns ? "iOS" : channel == .android ? "Android" : "a browser"
            add(
                .linkExtensionNotAccepted, "the link ends in .\(word), which \(platform) does not show",
                at: link.node)
        }
    }

    // MARK: - What is behind it

    private mutating func checkLook(_ look: LinkLook, at link: MediaLink, _ parts: LinkText) {
        if let error = look.error {
            // That http is not fetched is said already.
            if error.code == .insecureURL, parts.scheme == "http" { return }
            let detail = error.detail.map { " (\($0))" } ?? ""
            let rule: PayloadRule =
                switch error.code {
                case .timeLimit: .linkTooSlow
                case .inputTooLarge: .linkTooLarge
                case .truncated: .linkTruncated
                default: .linkUnreachable
                }
            return add(rule, "\(error.code.rawValue): \(error.message)\(detail)", at: link.node)
        }
        let channels = channels(of: link)
        for channel in channels.isEmpty ? [.apns] : channels {
            let isShown = look.format.map(ShownTypes.formats(channel).contains) == true && !look.isRefused
            let isShownBySome = channel == .android && look.format.map(ShownTypes.byVersion.contains) == true
            if !isShown, !isShownBySome {
                let word = look.format?.rawValue ?? "unknown"
                add(.linkTypeNotAccepted, "what is there is \(word)", at: link.node)
                return
            }
        }
        if let format = look.format, parts.claim.text != nil, !parts.claim.matches(format) {
            add(
                .linkTypeMismatch,
                "the name ends in .\(parts.claim.text ?? ""), and it is \(format.rawValue)", at: link.node)
        }
        checkWeight(of: look, at: link, channels)
    }

    private mutating func checkWeight(of look: LinkLook, at link: MediaLink, _ channels: [Channel]) {
        let size = "it has \(look.isCut ? "more than " : "")\(look.bytes) bytes"
        if let cap = look.format?.capBytes, look.bytes > cap, channels != [.android] {
            add(.linkTooLarge, "\(size), and iOS takes \(cap)", at: link.node)
        } else if channels.contains(.android), look.bytes > 1_048_576 {
            add(.fcmImageTooLarge, size, at: link.node)
        } else if look.bytes > 1_000_000, look.format?.family == .image {
            add(.linkHeavy, size, at: link.node)
        }
        guard look.seconds > 5 else { return }
        let seconds = "it took \((look.seconds * 10).rounded() / 10) seconds"
        add(channels.contains(.android) ? .fcmImageSlow : .linkSlow, seconds, at: link.node)
    }
}

extension MediaFormat {
    /// Whether a name's extension is this format's.
    func claims(_ claim: ClaimedExtension) -> Bool {
        claim.text != nil && fileExtension != nil && claim.matches(self)
    }
}

extension [PayloadFinding] {
    fileprivate func contains(_ rule: PayloadRule, _ node: Int, _ document: JSONDocument) -> Bool {
        let path = document.path(node)
        return contains { $0.rule == rule && $0.path == path }
    }
}
