internal import AttachmentPrep

// The options of the HTTP service.
extension OptionSpec {
    static let serveRows: [OptionSpec] = [
        OptionSpec(
            long: "listen", placeholder: "unix:PATH|HOST:PORT|systemd", section: .service, commands: [.serve],
            help: "Where to listen (default 127.0.0.1:8077); the host in figures, [::1] for IPv6",
            action: .value { (settings, value) throws(UsageError) in
                guard let address = ListenAddress(value.raw) else {
                    throw value.refused("unix:/run/attachprep.sock, 127.0.0.1:8077, [::1]:8077 or systemd")
                }
                settings.serve.listen = address
            }),
        OptionSpec(
            long: "token-file", placeholder: "FILE", completion: .file, section: .service, commands: [.serve],
            help: "Take uploads only with 'Authorization: Bearer TOKEN', the TOKEN being FILE's first line",
            action: .value { (settings, value) throws(UsageError) in
                settings.serve.tokenFile = try value.path()
            }),
        OptionSpec(
            long: "allow-host", placeholder: "NAME", section: .service, commands: [.serve],
            help:
                "Answer requests for this host too (known: localhost, the address listened on, --public-base's)",
            isRepeatable: true,
            action: .value { (settings, value) throws(UsageError) in
                settings.serve.hosts += value.text.split(separator: ",").map { $0.lowercased() }
            }),
        OptionSpec(
            long: "max-connections", placeholder: "COUNT", section: .service, commands: [.serve],
            help: "Connections open at once (default 256)",
            action: .value { (settings, value) throws(UsageError) in
                settings.serve.connections = try value.integer(in: 1...10_000)
            }),
        OptionSpec(
            long: "max-per-address", placeholder: "COUNT", section: .service, commands: [.serve],
            help:
                "Connections of one address, 0 for no limit (default 32; 0 where only this machine can connect)",
            action: .value { (settings, value) throws(UsageError) in
                settings.serve.connectionsPerAddress = try value.integer(in: 0...10_000)
            }),
        OptionSpec(
            long: "max-waiting", placeholder: "COUNT", section: .service, commands: [.serve],
            help:
                "Uploads that may wait for a decoder; the next is told to come again (default 8 for each job)",
            action: .value { (settings, value) throws(UsageError) in
                settings.serve.waiting = try value.integer(in: 0...100_000)
            }),
        OptionSpec(
            long: "log-requests", section: .service, commands: [.serve],
            help: "Write a line of JSON about each request to standard error",
            action: .flag { $0.serve.logsRequests = $1 }),
    ]
}
