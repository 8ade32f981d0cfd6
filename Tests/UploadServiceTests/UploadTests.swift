import Foundation
import TestSupport
import Testing

/// The real program, asked over HTTP.
@Suite struct UploadTests {
    /// For all tests that need nothing special.
    private static let shared = Result {
        // Slow machines are not what is tested here.
        try ServiceProcess(["--allow-http", "--allow-address", "127.0.0.0/8", "--timeout", "300"])
    }

    @Test func anUploadBecomesAnAttachmentOnce() throws {
        let service = try ServiceProcess(["--public-base", "https://push.example/media"])
        let picture = try sample("coffee-cup.jpg")
        let first = try #require(try ask(service.address, "POST", "/v1/attachments", body: picture))
        #expect(first.status == 201)
        let record = try #require(first.record)
        #expect(record.outcome == "prepared")
        let path = try #require(record.outputs.first?.path)
        let made = try bytes(of: path)
        #expect(made.count <= 300_000)
        #expect(record.outputs.first?.bytes == made.count)
        let name = try #require(path.split(separator: "/").last)
        #expect(record.outputs.first?.url == "https://push.example/media/\(name.prefix(2))/\(name)")
        let again = try #require(try ask(service.address, "POST", "/v1/attachments", body: picture))
        #expect(again.status == 200)
        #expect(again.record?.outputs.first?.path == path)
        // The command line makes the same bytes of it.
        let folder = try TemporaryFolder()
        let file = try folder.file("in.jpg", picture)
        _ = try run(ServiceProcess.program, ["prepare", file, "--output", folder.path + "/out.jpg"])
        #expect(try bytes(of: folder.path + "/out.jpg") == made)
        // And the service hands it out, with the host that records name.
        for target in ["/media/\(name.prefix(2))/\(name)", "/\(name.prefix(2))/\(name)"] {
            let answer = try #require(try ask(service.address, "GET", target))
            #expect(answer.status == 200)
            #expect(answer.body == made)
        }
    }

    @Test func chunkedUploadsOfAnySizesGiveTheSame() throws {
        let service = try Self.shared.get()
        let picture = try sample("rocket-small.jpg")
        var names: Set<String> = []
        for size in [1, 777, 16_384, 100_000] {
            let client = try RawClient(service.address)
            client.send(
                "POST /v1/attachments?profile=thumb HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n")
            // Single bytes for the first part only: the rest would take long and show nothing more.
            var start = 0
            while start < picture.count {
                let end = min(picture.count, start + (start > 3000 ? max(size, 8192) : size))
                client.send(
                    Array("\(String(end - start, radix: 16))\r\n".utf8) + picture[start..<end]
                        + Array("\r\n".utf8))
                start = end
            }
            client.send("0\r\n\r\n")
            let answer = try #require(client.answer())
            #expect(answer.status == 201 || answer.status == 200)
            names.insert(answer.record?.outputs.first?.path ?? "nothing")
        }
        #expect(names.count == 1)
    }

    @Test func aFormsFirstFileIsTaken() throws {
        let service = try Self.shared.get()
        let picture = try sample("spiral-grey.jpg")
        let boundary = "----b0undary"
        func part(_ head: String, _ bytes: [UInt8]) -> [UInt8] {
            Array("--\(boundary)\r\nContent-Disposition: form-data; \(head)\r\n\r\n".utf8) + bytes
                + Array("\r\n".utf8)
        }
        let body =
            part("name=\"note\"", Array("hello".utf8))
            + part("name=\"file\"; filename=\"C:\\photos\\a/b.png\"\r\nContent-Type: image/png", picture)
            + part("name=\"file2\"; filename=\"second.jpg\"", Array("not a picture".utf8))
            + Array("--\(boundary)--\r\n".utf8)
        let type = "Content-Type: multipart/form-data; boundary=\(boundary)"
        let answer = try #require(
            try ask(
                service.address, "POST", "/v1/attachments?profile=thumb", headers: [type], body: body))
        #expect(answer.status == 201, "\(answer.text)")
        #expect(answer.record?.input == "b.png")
        #expect(answer.text.contains("mismatched-extension"))
        // The same bytes, sent as they are, are known.
        let raw = try #require(
            try ask(service.address, "POST", "/v1/attachments?profile=thumb", body: picture))
        #expect(raw.status == 200)
        #expect(raw.record?.outputs.first?.path == answer.record?.outputs.first?.path)
        // A form that ends early is no upload, even if the file is there.
        let cut = Array(body.dropLast(30))
        let early = try #require(
            try ask(service.address, "POST", "/v1/attachments", headers: [type], body: cut))
        #expect(early.status == 400)
        #expect(early.record?.error?.code == "invalid-payload")
    }

    @Test func severalProfilesComeFromOneUpload() throws {
        let service = try Self.shared.get()
        let picture = try sample("otters-turned.jpg")
        let answer = try #require(
            try ask(service.address, "POST", "/v1/attachments?profile=thumb&profile=icon,apns", body: picture)
        )
        #expect(answer.status == 201)
        #expect(answer.record?.outputs.map(\.profile) == ["thumb", "icon", "apns"])
    }

    @Test func aLinkIsFetchedAndRemembered() throws {
        let service = try Self.shared.get()
        guard case .tcp(let port) = service.address else { throw ProgramFailure(command: "tcp", status: 0) }
        let upload = try #require(
            try ask(
                service.address, "POST", "/v1/attachments", body: sample("forget-me-nots.jpg")))
        let name = try #require(upload.record?.outputs.first?.path?.split(separator: "/").last)
        let link = "http://127.0.0.1:\(port)/media/\(name.prefix(2))/\(name)"
        let json = ["Content-Type: application/json"]
        let body = Array("{\"url\":\"\(link)\"}".utf8)
        let first = try #require(
            try ask(
                service.address, "POST", "/v1/attachments?profile=icon", headers: json, body: body))
        #expect(first.status == 201, "\(first.text)")
        #expect(first.record?.input == link)
        let second = try #require(
            try ask(
                service.address, "POST", "/v1/attachments?profile=icon", headers: json, body: body))
        #expect(second.status == 200)
        #expect(second.record?.outputs.first?.path == first.record?.outputs.first?.path)
    }

    /// The statuses of SPEC 4's table.
    @Test func refusalsHaveTheirStatus() throws {
        let service = try Self.shared.get()
        let picture = try sample("rocket-small.jpg")
        let json = ["Content-Type: application/json"]
        for (body, headers, status, code) in [
            ([], [], 415, "empty"), (Array("<!doctype html><p>hi".utf8), [], 415, "html-document"),
            (Array(picture.prefix(20_000)), [], 422, "truncated"),
            (Array("{\"url\":\"http://10.0.0.1/a.jpg\"}".utf8), json, 400, "blocked-address"),
            (Array("{\"url\":\"ftp://a/b\"}".utf8), json, 400, "invalid-url"),
            (Array("{\"link\":1}".utf8), json, 400, "invalid-payload"),
            (Array("[".utf8), json, 400, "invalid-payload"),
            (Array("[".utf8) + [UInt8](repeating: 0x5B, count: 60_000), json, 400, "invalid-payload"),
            (picture, ["Content-Encoding: gzip"], 415, "unsupported-format"),
            (picture, ["Content-Type: multipart/form-data"], 400, "invalid-payload"),
        ] as [([UInt8], [String], Int, String)] {
            let answer = try #require(
                try ask(service.address, "POST", "/v1/attachments", headers: headers, body: body))
            #expect(answer.status == status, "\(code): \(answer.text)")
            #expect(answer.record?.error?.code == code, "\(answer.text)")
            #expect(answer.headers["cache-control"] == "no-store")
        }
    }

    @Test func attachmentsAreHandedOutAsFilesThatNeverChange() throws {
        let service = try Self.shared.get()
        let upload = try #require(
            try ask(service.address, "POST", "/v1/attachments", body: sample("tea-gardens-444.jpg")))
        let path = try #require(upload.record?.outputs.first?.path)
        let name = try #require(path.split(separator: "/").last)
        let whole = try bytes(of: path)
        let target = "/media/\(name.prefix(2))/\(name)"
        let get = try #require(try ask(service.address, "GET", target))
        #expect(get.body == whole)
        #expect(get.headers["content-type"] == "image/jpeg")
        #expect(get.headers["cache-control"] == "public, max-age=31536000, immutable")
        let tag = try #require(get.headers["etag"])
        let head = try #require(try ask(service.address, "HEAD", target))
        #expect(head.status == 200)
        #expect(head.headers["content-length"] == "\(whole.count)")
        let known = try #require(
            try ask(service.address, "GET", target, headers: ["If-None-Match: \(tag)"]))
        #expect(known.status == 304)
        #expect(known.body.isEmpty)
        let part = try #require(
            try ask(service.address, "GET", target, headers: ["Range: bytes=100-299"]))
        #expect(part.status == 206)
        #expect(part.body == Array(whole[100..<300]))
        #expect(part.headers["content-range"] == "bytes 100-299/\(whole.count)")
        let other = try #require(
            try ask(service.address, "GET", target, headers: ["Range: bytes=0-9", "If-Range: \"x\""]))
        #expect(other.status == 200)
        let beyond = try #require(
            try ask(service.address, "GET", target, headers: ["Range: bytes=\(whole.count)-"]))
        #expect(beyond.status == 416)
        #expect(beyond.headers["content-range"] == "bytes */\(whole.count)")
    }

    @Test func oneConnectionServesManyRequests() throws {
        let service = try Self.shared.get()
        let client = try RawClient(service.address)
        let picture = try sample("rocket-small.jpg")
        for _ in 0..<3 {
            client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(client.answer()?.text == "alive\n")
            client.send(
                Array(
                    "POST /v1/attachments HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(picture.count)\r\n\r\n"
                        .utf8)
                    + picture)
            let answer = try #require(client.answer())
            #expect(answer.status < 300, "\(answer.text)")
        }
    }

    @Test func thingsAreCounted() throws {
        let service = try ServiceProcess()
        _ = try ask(service.address, "POST", "/v1/attachments", body: sample("rocket-small.jpg"))
        _ = try ask(service.address, "POST", "/v1/attachments", body: [1, 2, 3])
        let text = try #require(try ask(service.address, "GET", "/metrics")).text
        #expect(text.contains("attachprep_requests_total{route=\"attachments\",status=\"201\"} 1\n"))
        #expect(text.contains("attachprep_requests_total{route=\"attachments\",status=\"415\"} 1\n"))
        #expect(text.contains("attachprep_errors_total{code=\"unknown-format\"} 1\n"))
        #expect(text.contains("attachprep_request_seconds_count 2\n"))
        #expect(text.contains("attachprep_decoders_idle 1\n"))
        #expect(text.contains("attachprep_memory_granted_bytes 0\n"))
    }

    /// Lines of the log are JSON, and hold nothing that opens a door.
    @Test func requestsAreLoggedWithoutSecrets() throws {
        let folder = try TemporaryFolder()
        let token = "0123456789abcdef0123456789abcdef"
        let tokens = try folder.file("token", Array((token + "\n").utf8))
        let service = try ServiceProcess(["--log-requests", "--token-file", tokens])
        _ = try ask(
            service.address, "POST", "/v1/attachments?profile=thumb",
            headers: ["Authorization: Bearer \(token)"], body: sample("rocket-small.jpg"))
        _ = try ask(service.address, "GET", "/s/k1.0.SIGNATURE/apns/aHR0cHM6Ly9h.jpg")
        service.end()
        let lines = service.log.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(lines.count == 2)
        struct Line: Decodable {
            let route: String
            let status: Int
        }
        let first = try JSONDecoder().decode(Line.self, from: Data(try #require(lines.first).utf8))
        #expect(first.route == "attachments")
        #expect(first.status == 201)
        #expect(!service.log.contains(token))
        #expect(!service.log.contains("SIGNATURE"))
    }
}

/// Hooks over HTTP: the message is on the disk when it is answered, and the queue's job is done.
@Suite struct ServiceHookTests {
    private func message(_ path: String, id: String, size: Int, type: String = "post-finish") -> [UInt8] {
        Array(
            """
            {"Type":"\(type)","Event":{"Upload":{"ID":"\(id)","Size":\(size),"SizeIsDeferred":false,"Offset":\(size),
            "MetaData":{"filename":"a.jpg"},"IsPartial":false,"IsFinal":false,"PartialUploads":null,
            "Storage":{"Type":"filestore","Path":"\(path)","InfoPath":"\(path).info"}},
            "HTTPRequest":{"Method":"PATCH","URI":"/files/\(id)","RemoteAddr":"192.0.2.1:9","Header":{}}}}
            """.utf8)
    }

    private let json = ["Content-Type: application/json"]

    @Test func tusdsUploadsBecomeAttachments() throws {
        let folder = try TemporaryFolder()
        let uploads = folder.path + "/uploads"
        try FileManager.default.createDirectory(atPath: uploads, withIntermediateDirectories: true)
        let picture = try sample("rocket-small.jpg")
        let path = try folder.file("uploads/u1", picture)
        let service = try ServiceProcess(
            ["--queue", "{folder}/queue", "--root", uploads, "--timeout", "300"], folder: folder)
        for _ in 0..<2 {
            let answer = try #require(
                try ask(
                    service.address, "POST", "/hooks/tusd", headers: json,
                    body: message(path, id: "u1", size: picture.count)))
            // tusd wants 2xx, this type and a JSON body; anything else is an error to it.
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.text == "{}")
        }
        // Other events are nobody's error.
        let other = try #require(
            try ask(
                service.address, "POST", "/hooks/tusd", headers: json,
                body: message(path, id: "u2", size: 1, type: "post-create")))
        #expect(other.status == 200)
        // What lies elsewhere is acknowledged, and then refused: tusd could do nothing about it.
        let outside = try #require(
            try ask(
                service.address, "POST", "/hooks/tusd", headers: json,
                body: message("/etc/passwd", id: "u3", size: 1)))
        #expect(outside.status == 200)
        #expect(
            try ask(service.address, "POST", "/hooks/tusd", headers: json, body: Array("{".utf8))?.status
                == 400)
        #expect(
            try ask(service.address, "POST", "/hooks/s3", headers: json, body: Array("{}".utf8))?.status
                == 400)
        func names(_ part: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/queue/" + part)) ?? []
        }
        for _ in 0..<3000 where names("done").count + names("bad").count < 2 {
            Thread.sleep(forTimeInterval: 0.02)
        }
        #expect(names("done").count == 1)
        #expect(names("bad").count == 1)
        let done = try String(
            decoding: bytes(of: folder.path + "/queue/done/" + #require(names("done").first)), as: UTF8.self)
        // A plain JPEG inside the box and the budget passes (SPEC 2).
        #expect(done.contains("\"outcome\":\"passedThrough\""))
        let known = try #require(try ask(service.address, "POST", "/v1/attachments", body: picture))
        #expect(known.status == 200)
        let figures = try #require(try ask(service.address, "GET", "/metrics")).text
        #expect(figures.contains("attachprep_queue_waiting 0\n"))
        #expect(figures.contains("attachprep_queue_bad 1\n"))
    }

    /// Of MinIO's shape; the object is fetched by the template, from a server that is named there alone.
    @Test func objectsAreFetched() throws {
        let store = try ServiceProcess(["--log-requests", "--timeout", "300"])
        guard case .tcp(let port) = store.address else { return }
        let upload = try #require(
            try ask(store.address, "POST", "/v1/attachments", body: sample("spiral-grey.jpg")))
        let name = try #require(upload.record?.outputs.first?.path?.split(separator: "/").last)
        let folder = try TemporaryFolder()
        let service = try ServiceProcess(
            [
                "--queue", "{folder}/queue", "--object-url", "http://127.0.0.1:\(port)/{bucket}/{key}",
                "--allow-http", "--allow-address", "127.0.0.0/8", "--timeout", "300",
            ], folder: folder)
        let body = """
            {"EventName":"s3:ObjectCreated:Put","Key":"media/\(name.prefix(2))/\(name)","Records":[{"eventVersion":"2.0",
            "eventSource":"minio:s3","eventTime":"2026-11-30T10:00:00.000Z","eventName":"s3:ObjectCreated:Put",
            "s3":{"bucket":{"name":"media"},"object":{"key":"\(name.prefix(2))%2F\(name)","size":5,"eTag":"x",
            "contentType":"image/jpeg","sequencer":"17A"}}}]}
            """
        let answer = try #require(
            try ask(service.address, "POST", "/hooks/s3", headers: json, body: Array(body.utf8)))
        #expect(answer.status == 200, "\(answer.text)")
        func done() -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/queue/done")) ?? []
        }
        for _ in 0..<3000 where done().isEmpty { Thread.sleep(forTimeInterval: 0.02) }
        #expect(done().count == 1)
        store.end()
        #expect(store.log.contains("\"route\":\"media\""))
    }
}
