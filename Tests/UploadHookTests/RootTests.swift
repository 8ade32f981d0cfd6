import AttachmentPrep
import Foundation
import TestSupport
import Testing

@testable import UploadHook

@Suite struct RootTests {
    /// A root with files and traps, and a secret beside it.
    private final class Ground {
        private let folder: TemporaryFolder
        let top: String

        init() throws {
            folder = try TemporaryFolder()
            top = folder.path
            _ = try run(
                "sh",
                [
                    "-c",
                    """
                    cd "$0" && mkdir -p root/sub outside && echo picture > root/a && echo picture > root/sub/b
                    echo secret > outside/secret && echo secret > secret
                    ln -s ../outside/secret root/link && ln -s ../outside root/way && ln -s a root/inner
                    ln -s sub root/inside && ln -s root alias && mkfifo root/fifo && ln -s /proc/self/fd root/fds
                    mkdir root/..odd && echo picture > root/..odd/c
                    """, top,
                ])
        }

        func path(_ text: String) -> FilePath { FilePath(text.replacingOccurrences(of: "{}", with: top)) }

        func verdict(_ text: String, roots: [String] = ["{}/root"]) -> String {
            do throws(PrepError) {
                return "opened " + (try HookRoots(roots.map(path)).open(path(text))).placeBelowRoot.display
            } catch {
                return error.code.rawValue
            }
        }
    }

    @Test(arguments: [
        ("{}/root/a", "opened a"),
        ("{}/root/sub/b", "opened sub/b"),
        ("{}//root/./sub//b", "opened sub/b"),
        ("{}/root/..odd/c", "opened ..odd/c"),
        ("{}/root/missing", "io"),
        ("{}/root/../secret", "invalid-payload"),
        ("{}/root/sub/../../secret", "invalid-payload"),
        ("{}/secret", "invalid-payload"),
        ("{}/rootless", "invalid-payload"),
        ("/etc/passwd", "invalid-payload"),
        ("{}/root/link", "invalid-payload"),
        ("{}/root/inner", "invalid-payload"),
        ("{}/root/way/secret", "invalid-payload"),
        ("{}/root/inside/b", "invalid-payload"),
        ("{}/alias/a", "invalid-payload"),
        ("{}/root/fds/0", "invalid-payload"),
        ("/proc/self/fd/0", "invalid-payload"),
        ("{}/root/fifo", "invalid-payload"),
        ("{}/root/sub", "invalid-payload"),
        ("{}/root", "invalid-payload"),
        ("{}/root/", "invalid-payload"),
        ("/dev/zero", "invalid-payload"),
        ("", "invalid-payload"),
    ])
    func onlyFilesBelowARootAreOpened(_ path: String, _ expected: String) throws {
        #expect(try Ground().verdict(path) == expected)
    }

    @Test func aDeviceBelowARootIsNoFile() throws {
        #expect(try Ground().verdict("/dev/zero", roots: ["/dev"]) == "invalid-payload")
        #expect(try Ground().verdict("/proc/self/fd/0", roots: ["/proc"]) == "invalid-payload")
        #expect(try Ground().verdict("/proc/self/root/etc/passwd", roots: ["/proc"]) == "invalid-payload")
    }

    @Test func whatHasNoRootIsNotOpened() throws {
        let ground = try Ground()
        #expect(ground.verdict("{}/root/a", roots: []) == "invalid-payload")
        do {
            _ = try HookRoots([]).open(FilePath("/etc/passwd"))
            Issue.record("it was opened")
        } catch { #expect(error.message.contains("--root")) }
    }

    /// The operator may name a root through a link; messages may then use either spelling.
    @Test func theOperatorsOwnLinksAreFollowed() throws {
        let ground = try Ground()
        #expect(ground.verdict("{}/alias/sub/b", roots: ["{}/alias"]) == "opened sub/b")
        #expect(ground.verdict("{}/root/sub/b", roots: ["{}/alias"]) == "opened sub/b")
        #expect(ground.verdict("{}/root/link", roots: ["{}/alias"]) == "invalid-payload")
        #expect(ground.verdict("{}/root/a", roots: ["{}/outside", "{}/root"]) == "opened a")
    }

    @Test func theDescriptorIsTheFileThatWasChecked() throws {
        let ground = try Ground()
        let file = try HookRoots([ground.path("{}/root")]).open(ground.path("{}/root/a"))
        _ = try run("sh", ["-c", "cd \"$0/root\" && mv a gone && ln -s ../outside/secret a", ground.top])
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(file.descriptor, &bytes, bytes.count, 0)
        #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "picture\n")
        #expect(file.size == 8)
    }
}
