import AttachmentPrep
import Foundation
import TestSupport
import Testing

/// Decoders that die, services that are killed, and too much of everything.
@Suite struct LifecycleTests {
    /// Sends uploads from several threads; the statuses, of nothing (0) where there was no answer.
    private func upload(
        _ picture: [UInt8], to address: ServiceProcess.Address, count: Int, threads: Int,
        differing: Bool = false
    ) -> [Int] {
        let statuses = Monitor<[Int]>([])
        let group = DispatchGroup()
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                for index in 0..<(count / threads) {
                    // Bytes behind a JPEG's end change its hash and nothing else.
                    let body = differing ? picture + Array("\(thread) \(index)".utf8) : picture
                    let answer = try? ask(address, "POST", "/v1/attachments?profile=thumb", body: body)
                    statuses.update { $0.append(answer?.status ?? 0) }
                }
                group.leave()
            }
        }
        group.wait()
        return statuses.update { $0 }
    }

    @Test func aDeadDecoderCostsOneRequestAtMost() throws {
        let service = try ServiceProcess(["--jobs", "2"])
        let picture = try sample("rocket-small.jpg")
        #expect(try ask(service.address, "POST", "/v1/attachments", body: picture)?.status == 201)
        // One that waits for work: nobody notices.
        for decoder in service.decoders { kill(decoder, SIGKILL) }
        #expect(
            try ask(service.address, "POST", "/v1/attachments?profile=icon", body: picture)?.status == 201)
        // One at work, in the middle of a picture.
        let whole = try sample("coffee-cup.jpg")
        let client = try RawClient(service.address)
        client.send(
            "POST /v1/attachments HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(whole.count)\r\n\r\n"
        )
        client.send(Array(whole.prefix(whole.count / 2)))
        try waitFor("attachprep_decoders_busy 1\n", service)
        for decoder in service.decoders { kill(decoder, SIGKILL) }
        client.send(Array(whole.suffix(whole.count - whole.count / 2)))
        let answer = try #require(client.answer())
        #expect(answer.status == 503)
        #expect(answer.record?.error?.code == "decoder-crashed")
        #expect(answer.record?.error?.detail == "signal 9")
        #expect(try ask(service.address, "POST", "/v1/attachments?profile=fcm", body: picture)?.status == 201)
        // One that hangs: the answer comes all the same.
        let slow = try ServiceProcess(["--jobs", "1", "--timeout", "6"])
        #expect(try ask(slow.address, "POST", "/v1/attachments", body: picture)?.status == 201)
        for decoder in slow.decoders { kill(decoder, SIGSTOP) }
        let late = try #require(try ask(slow.address, "POST", "/v1/attachments?profile=icon", body: picture))
        #expect(late.status == 503)
        #expect(late.record?.error?.code == "time-limit")
        #expect(try ask(slow.address, "POST", "/v1/attachments?profile=fcm", body: picture)?.status == 201)
    }

    /// Waits until the service's figures say so.
    private func waitFor(_ line: String, _ service: ServiceProcess) throws {
        for _ in 0..<1500 {
            if try ask(service.address, "GET", "/metrics")?.text.contains(line) == true { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        Issue.record("never \(line)")
    }

    /// Judged long before its end: the rest of the body holds no decoder, and the answer comes at its end.
    @Test func whatIsJudgedHoldsNoDecoder() throws {
        let service = try ServiceProcess(["--jobs", "1", "--timeout", "300"])
        let client = try RawClient(service.address)
        let size = 80 << 20
        client.send(
            "POST /v1/attachments HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n"
        )
        client.send([UInt8](repeating: 1, count: 399_999))
        Thread.sleep(forTimeInterval: 0.5)
        // The next piece finds out.
        client.send([1])
        try waitFor("attachprep_decoders_idle 1\n", service)
        try waitFor("attachprep_decoders_busy 0\n", service)
        #expect(
            try ask(service.address, "POST", "/v1/attachments", body: sample("rocket-small.jpg"))?.status
                == 201)
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<79 { client.send(piece) }
        client.send([UInt8](repeating: 1, count: size - 400_000 - 79 << 20))
        #expect(client.answer()?.status == 415)
    }

    /// Where a decoder is slower than a client, the client waits; the service does not keep the body.
    @Test(.disabled(if: ServiceProcess.hasSanitizer)) func uploadsAreNotKept() throws {
        let service = try ServiceProcess(["--timeout", "300"])
        func peak() throws -> Int {
            let status = try String(decoding: bytes(of: "/proc/\(service.process)/status"), as: UTF8.self)
            return status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.output.1) } ?? .max
        }
        let (width, height) = (8000, 4000)
        let size = 54 + width * height * 3
        var bmp = Array("BM".utf8)
        for field in [size, 0, 54, 40, width, height] {
            bmp += (0..<4).map { UInt8(truncatingIfNeeded: field >> (8 * $0)) }
        }
        bmp += [1, 0, 24, 0] + [UInt8](repeating: 0, count: 24)
        let before = try peak()
        let client = try RawClient(service.address, patience: 280)
        client.send(
            "POST /v1/attachments HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n"
        )
        client.send(bmp)
        let row = (0..<width * 3).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for _ in 0..<height { client.send(row) }
        #expect(client.answer()?.status == 201)
        // 96 MB went through.
        #expect(try peak() - before < 16_000)
    }

    /// RFC 9112, 9.6: who has sent everything may close that half of the line, and wait.
    @Test func halfAClosedLineIsNoReasonToStop() throws {
        let service = try ServiceProcess(["--timeout", "300"])
        let picture = try sample("coffee-cup.jpg")
        let client = try RawClient(service.address)
        client.send(
            Array(
                "POST /v1/attachments HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(picture.count)\r\n\r\n"
                    .utf8)
                + picture)
        client.finish()
        #expect(client.answer()?.status == 201)
    }

    /// As systemd hands it over: descriptor 3, and LISTEN_PID.
    @Test func anInheritedSocketIsServed() throws {
        let folder = try TemporaryFolder()
        let script = """
            import os, socket, sys
            s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()
            os.dup2(s.fileno(), 3); os.set_inheritable(3, True); os.environ["LISTEN_PID"] = str(os.getpid())
            os.execv(sys.argv[2], sys.argv[2:])
            """
        let service = try ServiceProcess(
            folder: folder, listen: "systemd",
            launcher: ["python3", "-c", script, folder.path + "/socket"])
        let address = ServiceProcess.Address.unix(folder.path + "/socket")
        #expect(try ask(address, "POST", "/v1/attachments", body: sample("rocket-small.jpg"))?.status == 201)
        withExtendedLifetime(service) {}
    }

    @Test(.disabled(if: ServiceProcess.hasSanitizer)) func decodersAreLimited() throws {
        let service = try ServiceProcess(["--memory-limit", "64MiB", "--timeout", "30"])
        #expect(
            try ask(service.address, "POST", "/v1/attachments", body: sample("rocket-small.jpg"))?.status
                == 201)
        let decoder = try #require(service.decoders.first)
        let limits = try String(decoding: bytes(of: "/proc/\(decoder)/limits"), as: UTF8.self)
        let status = try String(decoding: bytes(of: "/proc/\(decoder)/status"), as: UTF8.self)
        func soft(_ name: String) -> Int? {
            limits.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap {
                $0.dropFirst(name.count).split(separator: " ").first.flatMap { Int($0) }
            }
        }
        // 64 MiB, and 256 of the process's own.
        #expect(soft("Max data size") == (64 + 256) << 20)
        let seconds = try #require(soft("Max cpu time"))
        #expect((32...40).contains(seconds))
        #expect(soft("Max core file size") == 0)
        // A seccomp filter is in force, and no new privileges can be had (proc(5)).
        #expect(status.contains("Seccomp:\t2"))
        #expect(status.contains("NoNewPrivs:\t1"))
    }

    @Test func tooManyAreToldToComeAgain() throws {
        let service = try ServiceProcess(["--jobs", "1", "--max-waiting", "2"])
        let picture = try sample("coffee-cup.jpg")
        let statuses = upload(picture, to: service.address, count: 48, threads: 16, differing: true)
        #expect(Set(statuses).isSubset(of: [201, 429]))
        #expect(statuses.filter { $0 == 201 }.count >= 3)
        #expect(statuses.contains(429))
        #expect(try ask(service.address, "POST", "/v1/attachments", body: picture)?.status == 201)
        let text = try #require(try ask(service.address, "GET", "/metrics")).text
        #expect(text.contains("attachprep_memory_granted_bytes 0\n"))
        #expect(text.contains("attachprep_decoders_waiting 0\n"))
    }

    /// Two jobs whose needs together are more than the budget come one after the other.
    @Test(.disabled(if: ServiceProcess.hasSanitizer)) func memoryIsSharedByAllDecoders() throws {
        let picture = try sample("coffee-cup.jpg")
        let probe = try ServiceProcess()
        let record = try #require(
            try ask(probe.address, "POST", "/v1/attachments", body: picture)?.text)
        let need = try #require(
            record.firstMatch(of: /"need":(\d+)/).flatMap { Int($0.output.1) })
        let service = try ServiceProcess(["--memory-limit", "\(need + need / 2)", "--jobs", "4"])
        let statuses = upload(picture, to: service.address, count: 12, threads: 4, differing: true)
        #expect(statuses == [Int](repeating: 201, count: 12))
        let small = try ServiceProcess(["--memory-limit", "\(need - 1)"])
        let refused = try #require(try ask(small.address, "POST", "/v1/attachments", body: picture))
        #expect(refused.status == 422)
        #expect(refused.record?.error?.code == "memory-limit")
    }

    @Test func whatIsBegunEndsAndNothingNewBegins() throws {
        let service = try ServiceProcess()
        let picture = try sample("rocket-small.jpg")
        let client = try RawClient(service.address)
        client.send(
            "POST /v1/attachments HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(picture.count)\r\n\r\n")
        client.send(Array(picture.prefix(30_000)))
        let second = try RawClient(service.address)
        second.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(second.answer()?.status == 200)
        service.signal(SIGTERM)
        for _ in 0..<500 where !service.log.contains("ending") { Thread.sleep(forTimeInterval: 0.01) }
        Thread.sleep(forTimeInterval: 0.1)
        second.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let ready = try #require(second.answer())
        #expect(ready.status == 503)
        #expect(ready.headers["connection"]?.lowercased() == "close")
        client.send(Array(picture.dropFirst(30_000)))
        #expect(client.answer()?.status == 201)
        service.end()
        #expect(!service.isAlive)
        #expect(throws: (any Error).self) { try RawClient(service.address) }
    }

    @Test func aKilledServiceLeavesNothingHalf() throws {
        let folder = try TemporaryFolder()
        let picture = try sample("coffee-cup.jpg")
        for round in 0..<5 {
            let service = try ServiceProcess(folder: folder, listen: "unix:{folder}/socket")
            let killer = Thread {
                Thread.sleep(forTimeInterval: 0.2 + 0.13 * Double(round))
                service.signal(SIGKILL)
            }
            killer.start()
            let statuses = upload(picture, to: service.address, count: 40, threads: 4, differing: true)
            #expect(Set(statuses).isSubset(of: [0, 200, 201]))
            service.end()
        }
        // Its decoders saw it go; what they were at is whole or not there.
        Thread.sleep(forTimeInterval: 1)
        let verify = try finish([
            ServiceProcess.program, "cache", "verify", "--cache", folder.path + "/cache",
        ])
        #expect(verify.status == 0, "\(String(decoding: verify.output, as: UTF8.self))")
        let left = try String(
            decoding: run("find", [folder.path + "/cache", "-name", ".attachprep-*"]), as: UTF8.self)
        #expect(left.isEmpty)
        // A socket that a dead service left is no obstacle, and a living one's is.
        let service = try ServiceProcess(folder: folder, listen: "unix:{folder}/socket")
        #expect(try ask(service.address, "POST", "/v1/attachments", body: picture)?.status ?? 0 < 300)
        let other = try finish(
            [
                ServiceProcess.program, "serve", "--cache", folder.path + "/cache", "--listen",
                "unix:\(folder.path)/socket",
            ],
            environment: ServiceProcess.environment)
        #expect(other.status == 1)
        #expect(String(decoding: other.errors, as: UTF8.self).contains("cannot listen"))
    }

    @Test func aServiceThatCannotKeepAnythingIsNotReady() throws {
        let service = try ServiceProcess()
        #expect(try ask(service.address, "GET", "/readyz")?.status == 200)
        try FileManager.default.moveItem(atPath: service.cache, toPath: service.cache + ".away")
        let answer = try #require(try ask(service.address, "GET", "/readyz"))
        #expect(answer.status == 503)
        #expect(answer.text.contains(service.cache))
    }

    /// A client that leaves lets its decoder go.
    @Test func whoLeavesIsNotWorkedFor() throws {
        let service = try ServiceProcess(["--jobs", "1", "--timeout", "300"])
        let picture = try sample("coffee-cup.jpg")
        do {
            let client = try RawClient(service.address)
            client.send(
                "POST /v1/attachments HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(picture.count)\r\n\r\n"
            )
            client.send(Array(picture.prefix(200_000)))
            try waitFor("attachprep_decoders_busy 1\n", service)
        }
        // Long before anything is cut for being slow.
        try waitFor("attachprep_decoders_busy 0\n", service)
    }
}
