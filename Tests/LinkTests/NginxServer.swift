import Foundation
import TestSupport

/// A real nginx of one's own on 127.0.0.1 and its neighbours: TLS by a CA of the test's, and plain HTTP.
///
/// Needs no privileges. A shell holds it that ends it when the test process ends, however that happens.
final class NginxServer: Sendable {
    /// A request as nginx wrote it down once it was answered.
    struct Request: Decodable, Sendable {
        /// The connection's number, and the request's number on it.
        let connection: Int
        let turn: Int
        let address: String
        let port: String
        /// Method, target and protocol as they came.
        let line: String
        let status: Int
        let host: String
        let accept: String
        let acceptEncoding: String
        let authorization: String
        let cookie: String
        let token: String

        /// What stands between method and protocol.
        var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    }

    /// Where what is served.
    struct Ports: Sendable {
        let tls: Int
        /// TLS with a certificate that is no longer valid.
        let expired: Int
        /// TLS with a certificate that nobody vouches for.
        let foreign: Int
        let plain: Int
        /// TLS that offers HTTP/2.
        let second: Int
    }

    let ports: Ports
    let authority: String
    private let folder: String
    private let leash: FileHandle
    private let process: Process

    /// Serves `files` below /files/, and what `locations` say, as nginx writes it; waits until it answers.
    init(files: [String: [UInt8]], locations: (Ports) -> String) throws {
        folder = FileManager.default.temporaryDirectory.path + "/attachprep-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder + "/files", withIntermediateDirectories: true)
        try Certificates.make(in: folder)
        authority = folder + "/ca.pem"
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/files/" + name))
        }
        let free = try LinkTests.Ports.free(5)
        ports = Ports(
            tls: free[0], expired: free[1], foreign: free[2], plain: free[3], second: free[4])
        try Data(Self.configuration(folder, ports, locations(ports)).utf8)
            .write(to: URL(fileURLWithPath: folder + "/nginx.conf"))
        let pipe = Pipe()
        leash = pipe.fileHandleForWriting
        // No other child may hold it open.
        _ = fcntl(leash.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // SIGKILL: the tests' threads block signals, and what they start inherits that.
        let script = """
            PATH=$PATH:/usr/sbin
            nginx -p "$0" -c "$0/nginx.conf" 2>> "$0/error.log" &
            cat
            kill -KILL $!
            wait
            rm -r "$0"
            """
        process.arguments = ["-c", script, folder]
        process.standardInput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        try? pipe.fileHandleForReading.close()
        try waitUntilItAnswers()
    }

    /// Puts another file below /files/.
    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/files/" + name), options: .atomic)
    }

    /// Ends it and waits for its end.
    func stop() {
        try? leash.close()
        process.waitUntilExit()
    }

    /// The requests whose target contains a text, waiting a little for the last one to be written down.
    func requests(with text: String, atLeast count: Int = 1) throws -> [Request] {
        for _ in 0..<100 {
            let found = try requests().filter { $0.line.contains(text) }
            if found.count >= count { return found }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return try requests().filter { $0.line.contains(text) }
    }

    private func requests() throws -> [Request] {
        let log = try bytes(of: folder + "/access.log")
        let lines = log.split(separator: 10, omittingEmptySubsequences: false)
        // What stands behind the last line feed is being written.
        return try lines.dropLast().map { try JSONDecoder().decode(Request.self, from: Data($0)) }
    }

    private func waitUntilItAnswers() throws {
        for _ in 0..<500 {
            if LinkTests.Ports.answers(ports.plain), LinkTests.Ports.answers(ports.tls) { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        let said = (try? bytes(of: folder + "/error.log")) ?? []
        stop()
        throw ProgramFailure(command: "nginx: " + String(decoding: said, as: UTF8.self), status: 0)
    }

    private static func configuration(_ folder: String, _ ports: Ports, _ locations: String) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: " ")
        func server(_ listening: [String], _ certificate: String?) -> String {
            let lines =
                listening.map { "listen \($0)\(certificate == nil ? "" : " ssl");" }
                + (certificate.map {
                    ["ssl_certificate \(folder)/\($0).pem;", "ssl_certificate_key \(folder)/\($0).key;"]
                } ?? [])
            return "server { \(lines.joined(separator: " "))\n\(locations)\n}"
        }
        return """
            daemon off; master_process off; pid \(folder)/nginx.pid; error_log \(folder)/error.log warn;
            events { worker_connections 1024; }
            http {
            log_format seen escape=json '{"connection":$connection,"turn":$connection_requests,'
                '"address":"$server_addr","port":"$server_port","line":"$request","status":$status,'
                '"host":"$http_host","accept":"$http_accept","acceptEncoding":"$http_accept_encoding",'
                '"authorization":"$http_authorization","cookie":"$http_cookie","token":"$http_x_token"}';
            access_log \(folder)/access.log seen; \(temporary)
            types { } default_type application/octet-stream; charset off; server_tokens off;
            root \(folder);
            \(server((1...3).map { "127.0.0.\($0):\(ports.tls)" }, "server"))
            \(server(["127.0.0.1:\(ports.expired)"], "expired"))
            \(server(["127.0.0.1:\(ports.foreign)"], "foreign"))
            \(server((1...3).map { "127.0.0.\($0):\(ports.plain)" }, nil))
            \(server(["127.0.0.1:\(ports.second) http2"], "server"))
            }
            """
    }
}

/// A CA, a server's certificate by it, an expired one and one that signed itself, made by openssl.
private enum Certificates {
    static func make(in folder: String) throws {
        let script = """
            set -e
            cd "$0"
            key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
            for name in server expired foreign; do
                openssl req -new $key -keyout $name.key -out $name.csr -subj "/CN=$name"
            done
            openssl req -x509 $key -keyout ca.key -out ca.pem -days 2 -subj '/CN=Test CA' \
                -addext keyUsage=critical,keyCertSign
            # 127.0.0.3 is left out: a server whose name is not the certificate's.
            echo 'subjectAltName=IP:127.0.0.1,IP:127.0.0.2,DNS:localhost' > names
            openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -set_serial 1 -days 2 -extfile names \
                -out server.pem
            openssl x509 -req -in expired.csr -CA ca.pem -CAkey ca.key -set_serial 2 -days -1 -extfile names \
                -out expired.pem
            openssl x509 -req -in foreign.csr -signkey foreign.key -days 2 -extfile names -out foreign.pem
            """
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = try finish(["/bin/sh", "-c", script, folder], environment: ["PATH": path])
        guard result.status == 0 else {
            throw ProgramFailure(
                command: "openssl: " + String(decoding: result.errors, as: UTF8.self), status: result.status)
        }
    }
}
