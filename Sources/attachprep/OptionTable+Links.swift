internal import AttachmentPrep
internal import LinkFetch
internal import MediaCache

// The options of links and of the cache.
extension OptionSpec {
    static let linkRows: [OptionSpec] = [
        OptionSpec(
            long: "allow-http", section: .links, commands: fetching,
            help: "Fetch http links too, which others can read and change on the way",
            action: .flag { $0.links.allowsHTTP = $1 }),
        OptionSpec(
            long: "allow-address", placeholder: "CIDR[:PORT]", section: .links, commands: fetching,
            help:
                "Let links lead to these addresses although they are private, or to another port than 80 and 443",
            isRepeatable: true,
            action: .value { (settings, value) throws(UsageError) in
                settings.links.allowedAddresses += try value.addressRules()
            }),
        OptionSpec(
            long: "ca-file", placeholder: "FILE.pem", completion: .file, section: .links,
            commands: fetching, help: "Certificates to trust instead of the system's",
            action: .value { (settings, value) throws(UsageError) in settings.links.caFile = try value.path()
            }),
        OptionSpec(
            long: "header", placeholder: "'HOST: Name: value'", section: .links, commands: fetching,
            help: "Send a header, such as a token, to that host and no other", isRepeatable: true,
            action: .value { (settings, value) throws(UsageError) in
                guard let header = HostHeader(value.text) else {
                    throw UsageError(
                        "\(value.name) takes a host, a header's name and its value",
                        hint: "such as 'img.example: Authorization: Bearer ...'")
                }
                settings.links.headers.append(header)
            }),
        OptionSpec(
            long: "key-file", placeholder: "FILE", completion: .file, section: .links,
            commands: [.link, .payload, .serve],
            help: "Keys of signed links, 'ID BASE64' on a line each; the first signs, all are accepted",
            action: .value { (settings, value) throws(UsageError) in settings.links.keyFile = try value.path()
            }),
        OptionSpec(
            long: "expires", placeholder: "TIME", section: .links, commands: [.link, .payload],
            help: "When a signed link runs out: seconds since 1970, or +SECONDS from now (default: never)",
            action: .value { (settings, value) throws(UsageError) in
                settings.links.expiry = try value.time()
            }),
        OptionSpec(
            long: "public-base", placeholder: "URL", section: .links,
            commands: [.link, .hook, .payload, .serve, .sweep],
            help: "Address under which the server hands out links and the cache's attachments",
            action: .value { (settings, value) throws(UsageError) in
                settings.links.publicBase = try value.base()
            }),
    ]

    static let cacheRows: [OptionSpec] = [
        OptionSpec(
            long: "cache", placeholder: "DIR", completion: .folder, section: .cache,
            commands: [.link, .cache, .hook, .payload, .serve, .simulate, .sweep],
            help: "The cache's folder; it is made if missing",
            action: .value { (settings, value) throws(UsageError) in settings.links.cache = try value.path()
            }),
        OptionSpec(
            long: "cache-limit", placeholder: "SIZE", section: .cache,
            commands: [.link, .cache, .hook, .payload, .serve, .sweep],
            help: "What the cache may take on the disk (default 10GiB)",
            action: .value { (settings, value) throws(UsageError) in
                settings.links.cacheLimits.bytes = try value.size()
            }),
        OptionSpec(
            long: "cache-days", placeholder: "DAYS", section: .cache,
            commands: [.link, .cache, .hook, .payload, .serve, .sweep],
            help: "Drop what nobody asked for in so many days (default 30)",
            action: .value { (settings, value) throws(UsageError) in
                settings.links.cacheLimits.unusedSeconds = try value.integer(in: 0...36_500) * 86_400
            }),
        OptionSpec(
            long: "no-sync", section: .cache, commands: [.link, .hook, .payload, .serve, .sweep],
            help: "Do not wait until attachments are on the disk; a power cut may then lose the newest",
            action: .flag { $0.links.synchronizes = !$1 }),
    ]
}

extension OptionValue {
    /// One block of addresses, or several with commas between them.
    func addressRules() throws(UsageError) -> [AddressRule] {
        var rules: [AddressRule] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let rule = AddressRule(String(word)) else {
                throw refused("addresses such as 10.0.0.0/8, 127.0.0.1:8080 or [fd00::]/8:8443")
            }
            rules.append(rule)
        }
        return rules
    }

    /// Seconds since 1970, `0` for never, or `+` and seconds from now.
    func time() throws(UsageError) -> Int {
        let isRelative = text.hasPrefix("+")
        guard let seconds = Decimal.integer(isRelative ? text.dropFirst() : text[...]), seconds < 1 << 40
        else {
            throw refused("seconds since 1970, such as 1798761600, or +604800 for a week from now")
        }
        return isRelative ? SystemClock.seconds + seconds : seconds
    }

    /// The address of a server.
    func base() throws(UsageError) -> String {
        let lower = text.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://"), !text.hasSuffix("://"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3F && $0 != 0x23 })
        else { throw refused("an address such as https://push.example") }
        return text
    }
}
