import AttachmentPrep
import Foundation
import TestSupport
import Testing

/// A real nginx before the service, as Samples/UploadHook has it.
@Suite struct ProxyTests {
    /// nginx with the sample's file, its paths and port replaced; ends with its owner.
    private final class Proxy {
        let address: ServiceProcess.Address
        private let process = Process()
        private let folder: TemporaryFolder

        init(service: ServiceProcess, socket: String, port: Int) throws {
            folder = try TemporaryFolder()
            address = .tcp(port)
            let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Samples/UploadHook/nginx.conf").path
            let text = try String(decoding: bytes(of: sample), as: UTF8.self)
                .replacingOccurrences(of: "/run/attachprep/socket", with: socket)
                .replacingOccurrences(of: "/var/cache/attachprep", with: service.cache)
                .replacingOccurrences(of: "listen 80;", with: "listen 127.0.0.1:\(port);")
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
            let whole = """
                daemon off; master_process off; pid \(folder.path)/pid; error_log \(folder.path)/error.log warn;
                user root; events { worker_connections 512; }
                http { access_log off; types { image/jpeg jpg; } \(temporary)
                \(text)
                }
                """
            let file = try folder.file("nginx.conf", Array(whole.utf8))
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c", "PATH=$PATH:/usr/sbin exec nginx -p \"$0\" -c \"$1\"", folder.path, file,
            ]
            process.standardError = FileHandle.nullDevice
            try process.run()
            for _ in 0..<500 {
                if (try? RawClient(address)) != nil { return }
                Thread.sleep(forTimeInterval: 0.02)
            }
            throw ProgramFailure(
                command: "nginx: "
                    + String(decoding: (try? bytes(of: folder.path + "/error.log")) ?? [], as: UTF8.self),
                status: 0)
        }

        deinit {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> Int {
        let probe = try ServiceProcess()
        guard case .tcp(let port) = probe.address else { throw ProgramFailure(command: "port", status: 0) }
        return port
    }

    @Test func theSampleConfigurationWorks() throws {
        let folder = try TemporaryFolder()
        let keys = try folder.file(
            "keys", Array(("k1 " + Data([UInt8](repeating: 7, count: 32)).base64EncodedString() + "\n").utf8))
        let service = try ServiceProcess(
            [
                "--key-file", keys, "--public-base", "https://push.example", "--allow-http",
                "--allow-address",
                "127.0.0.0/8", "--timeout", "300",
            ], folder: folder, listen: "unix:{folder}/socket")
        let proxy = try Proxy(service: service, socket: folder.path + "/socket", port: Self.freePort())
        let picture = try sample("rocket-small.jpg")
        let upload = try #require(try ask(proxy.address, "POST", "/v1/attachments", body: picture))
        #expect(upload.status == 201, "\(upload.text)")
        let output = try #require(upload.record?.outputs.first)
        let made = try bytes(of: #require(output.path))
        let url = try #require(output.url)
        #expect(url.hasPrefix("https://push.example/"))
        // Where records point to, and from the disk.
        let target = String(url.dropFirst("https://push.example".count))
        service.signal(SIGSTOP)
        for target in [target, "/media" + target] {
            let get = try #require(try ask(proxy.address, "GET", target))
            #expect(get.status == 200)
            #expect(get.body == made)
            #expect(get.headers["content-type"] == "image/jpeg")
        }
        service.signal(SIGCONT)
        // A signed link to a picture on another server, which is this proxy.
        guard case .tcp(let port) = proxy.address else { return }
        let signed = try String(
            decoding: run(
                ServiceProcess.program,
                [
                    "link", "sign", "http://127.0.0.1:\(port)\(target)", "--key-file", keys, "--public-base",
                    "",
                    "--profile", "icon",
                ].map { $0.isEmpty ? "https://push.example" : $0 }), as: UTF8.self)
        let path = String(signed.dropFirst("https://push.example".count).prefix { $0 != "\n" })
        for _ in 0..<2 {
            let lazy = try #require(try ask(proxy.address, "GET", path))
            #expect(lazy.status == 200, "\(lazy.text)")
            #expect(lazy.body.starts(with: [0xFF, 0xD8]))
            #expect(lazy.headers["content-type"] == "image/jpeg")
        }
        #expect(
            try ask(proxy.address, "GET", path.replacingOccurrences(of: "/icon/", with: "/apns/"))?.status
                == 403)
        #expect(try ask(proxy.address, "GET", "/metrics")?.status == 404)
    }

    /// Half a hundred phones ask for a link that nobody asked for before: its server sees one request.
    @Test func aLazyLinkIsPreparedOnce() throws {
        let folder = try TemporaryFolder()
        let keys = try folder.file(
            "keys", Array(("k1 " + Data([UInt8](repeating: 9, count: 32)).base64EncodedString() + "\n").utf8))
        let origin = try ServiceProcess(["--log-requests", "--timeout", "300"])
        guard case .tcp(let port) = origin.address else { return }
        let upload = try #require(
            try ask(origin.address, "POST", "/v1/attachments", body: sample("coffee-cup.jpg")))
        let name = try #require(upload.record?.outputs.first?.path?.split(separator: "/").last)
        let link = "http://127.0.0.1:\(port)/media/\(name.prefix(2))/\(name)"
        let service = try ServiceProcess([
            "--key-file", keys, "--allow-http", "--allow-address", "127.0.0.0/8", "--timeout", "300",
        ])
        let signed = try String(
            decoding: run(
                ServiceProcess.program,
                [
                    "link", "sign", link, "--key-file", keys, "--public-base", "https://a.example",
                    "--profile", "thumb",
                ]),
            as: UTF8.self)
        let path = String(signed.dropFirst("https://a.example".count).prefix { $0 != "\n" })
        let group = DispatchGroup()
        let sizes = Monitor<[Int]>([])
        for _ in 0..<50 {
            group.enter()
            Thread.detachNewThread {
                let answer = try? ask(service.address, "GET", path)
                sizes.update { $0.append(answer?.status == 200 ? answer?.body.count ?? 0 : 0) }
                group.leave()
            }
        }
        group.wait()
        let all = sizes.update { $0 }
        #expect(Set(all).count == 1)
        #expect((all.first ?? 0) > 1000)
        origin.end()
        let fetches = origin.log.split(separator: "\n").filter { $0.contains("\"route\":\"media\"") }
        #expect(fetches.count == 1)
    }
}
