import Foundation
import Testing

@testable import attachprep

@Suite struct LinkCommandTests {
    @Test(arguments: [
        ("link", "what to do: sign, verify, prepare"),
        ("link sing https://a.example/", "did you mean 'sign'?"),
        ("link prepare --cache c", "needs a link"),
        ("link prepare https://a.example/", "--cache DIR"),
        ("link sign https://a.example/ --public-base https://b.example", "--key-file FILE"),
        ("link sign https://a.example/ --key-file keys", "--public-base URL"),
        (
            "link sign https://a.example/ --key-file keys --public-base https://b.example --max-edge 9",
            "no other options"
        ),
        (
            "link sign https://a.example/ --key-file keys --public-base https://b.example --profile apns,icon",
            "one profile"
        ),
        ("cache", "what to do: stats, trim, verify"),
        ("cache clean --cache c", "not 'clean'"),
        ("cache stats", "--cache DIR"),
        ("cache stats there", "takes no operand"),
    ])
    func wrongUseIsRefusedWithItsReason(_ words: String, _ message: String) throws {
        let run = try Workplace().run("attachprep \(words)")
        #expect(run.status == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func aLinkSignedHereIsVerifiedHere() throws {
        let place = try Workplace()
        let run = try place.run(
            """
            echo 'k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' > keys
            url=$(attachprep link sign 'https://shop.example/download?id=15' --key-file keys \\
                --public-base https://push.example)
            echo "$url"
            attachprep link verify "$url" --key-file keys
            attachprep link verify "${url%.jpg}x.jpg" --key-file keys --json
            """)
        #expect(run.status == 1)
        let lines = run.output.split(separator: "\n").map(String.init)
        // README's vector.
        #expect(
            lines.first
                == "https://push.example/s/k1.0.I3JZx7IwgLB-7tziO1GpHxem98_phUTaV_ssh_Jib9s/apns/aHR0cHM6Ly9zaG9wLmV4YW1wbGUvZG93bmxvYWQ_aWQ9MTU.jpg"
        )
        #expect(lines.dropFirst().first == "https://shop.example/download?id=15")
        #expect(lines.last?.contains("bad-signature") == true)
    }

    @Test func aCacheThatIsNotThereIsAnErrorAndNotMade() throws {
        let place = try Workplace()
        let run = try place.run("attachprep cache stats --cache nothing; echo $?; ls")
        #expect(run.output == "1\n")
        #expect(run.errors.contains("there is no cache in nothing"))
    }

    @Test func secretsAreNotRepeated() throws {
        let place = try Workplace()
        let run = try place.run(
            "echo 'k1 c2VjcmV0' > keys; attachprep link verify https://a.example/ --key-file keys")
        #expect(run.status == 1)
        #expect(run.errors.contains("line 1 of keys"))
        #expect(!run.errors.contains("c2VjcmV0"))
    }
}
