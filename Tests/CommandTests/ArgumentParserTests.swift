import AttachmentPrep
import FlowSimulator
import LinkFetch
import MediaCache
import PayloadTools
import Testing
import UploadHook

@testable import attachprep

/// The settings of a command line, or the error it is refused with.
func settings(_ words: String..., environment: [String: String] = [:]) throws -> Settings {
    guard
        case .run(_, let settings, _) = try ArgumentParser.parse(
            words.map { FilePath($0) }, environment: { environment[$0].map { FilePath($0) } })
    else { throw UsageError("no command ran") }
    return settings
}

func usageError(_ words: String..., environment: [String: String] = [:]) -> UsageError? {
    do throws(UsageError) {
        _ = try ArgumentParser.parse(
            words.map { FilePath($0) }, environment: { environment[$0].map { FilePath($0) } })
        return nil
    } catch { return error }
}

@Suite struct ArgumentParserTests {
    /// For each option a value and what must come of it; an option without a sample fails the tests below.
    private static let samples: [String: (value: String, holds: @Sendable (Settings) -> Bool)] = [
        "output": ("there", { $0.output == FilePath("there") }),
        "profile": ("thumb", { $0.profiles == [.thumb] }),
        "cache-names": ("yes", { $0.namesByContent }),
        "json": ("1", { $0.json }),
        "quiet": ("true", { $0.quiet }),
        "max-bytes": ("200KiB", { $0.options.maxBytes == 204_800 }),
        "max-edge": ("640", { $0.options.maxEdge == 640 }),
        "min-quality": ("55", { $0.options.minQuality == 55 }),
        "max-quality": ("77", { $0.options.maxQuality == 77 }),
        "effort": ("best", { $0.options.effort == .best }),
        "progressive": ("never", { $0.options.progressive == .never }),
        "animation": ("keep", { $0.options.animation == .keep }),
        "background": ("1a2B3c", { $0.options.background == 0x1A2B3C }),
        "allow-truncated": ("on", { $0.options.allowsTruncated }),
        "memory-limit": ("14MiB", { $0.options.limits.memory == 14 << 20 }),
        "max-input-bytes": ("5MB", { $0.options.limits.inputBytes == 5_000_000 }),
        "max-pixels": ("123456", { $0.options.limits.pixels == 123_456 }),
        "max-scans": ("7", { $0.options.limits.scans == 7 }),
        "timeout": ("2.5", { $0.options.limits.timeout == .milliseconds(2500) }),
        "spool-dir": ("/tmp", { $0.options.spoolDirectory == "/tmp" }),
        "jobs": ("3", { $0.batch.jobs == 3 }),
        "report": ("r.jsonl", { $0.batch.report == FilePath("r.jsonl") }),
        "media": ("all", { $0.batch.media == .all }),
        "files-from": ("-", { $0.batch.filesFrom == FilePath("-") }),
        "null": ("1", { $0.batch.filesEndWithNUL }),
        "shard": ("2/3", { $0.batch.shard == Shard(index: 2, count: 3) }),
        "fail-fast": ("1", { $0.batch.stopsAtFirstError }),
        "dry-run": ("1", { $0.batch.isDryRun }),
        "markdown": ("1", { $0.markdown }),
        "listen": (
            "unix:/run/a.sock", { $0.serve.listen == .unix(FilePath("/run/a.sock")) }
        ),
        "token-file": ("token", { $0.serve.tokenFile == FilePath("token") }),
        "allow-host": ("A.example,b.example", { $0.serve.hosts == ["a.example", "b.example"] }),
        "max-connections": ("9", { $0.serve.connections == 9 }),
        "max-per-address": ("0", { $0.serve.connectionsPerAddress == 0 }),
        "max-waiting": ("5", { $0.serve.waiting == 5 }),
        "log-requests": ("1", { $0.serve.logsRequests }),
        "root": ("up", { $0.hook.roots == [FilePath("up")] }),
        "queue": ("q", { $0.hook.queue == FilePath("q") }),
        "object-url": (
            "https://a.example/{bucket}/{key}",
            { $0.hook.objects == ObjectTemplate("https://a.example/{bucket}/{key}") }
        ),
        "callback": ("http://10.0.0.1/x", { $0.hook.callback == "http://10.0.0.1/x" }),
        "callback-key-file": ("k", { $0.hook.callbackKeyFile == FilePath("k") }),
        "tusd-dir": ("up", { $0.hook.tusdFolders == [FilePath("up")] }),
        "retry-bad": ("1", { $0.hook.retriesBad }),
        "done-days": ("3", { $0.hook.doneSeconds == 259_200 }),
        "allow-http": ("1", { $0.links.allowsHTTP }),
        "allow-address": (
            "10.0.0.0/8,127.0.0.1:8080",
            { $0.links.allowedAddresses == ["10.0.0.0/8", "127.0.0.1:8080"].compactMap { AddressRule($0) } }
        ),
        "ca-file": ("ca.pem", { $0.links.caFile == FilePath("ca.pem") }),
        "header": (
            "img.example: X-Key: 1",
            { $0.links.headers == [HostHeader("img.example:X-Key:1")].compactMap { $0 } }
        ),
        "key-file": ("keys", { $0.links.keyFile == FilePath("keys") }),
        "expires": ("1798761600", { $0.links.expiry == 1_798_761_600 }),
        "public-base": ("https://push.example/a", { $0.links.publicBase == "https://push.example/a" }),
        "cache": ("there", { $0.links.cache == FilePath("there") }),
        "cache-limit": ("1GiB", { $0.links.cacheLimits.bytes == 1 << 30 }),
        "cache-days": ("7", { $0.links.cacheLimits.unusedSeconds == 604_800 }),
        "no-sync": ("1", { !$0.links.synchronizes }),
        "lines": ("1", { $0.payload.readsLines }),
        "key": ("media.big", { $0.payload.keys != .known }),
        "on-error": ("drop", { !$0.payload.keepsBadLines }),
        "headers": ("request.txt", { $0.payload.headersFile == FilePath("request.txt") }),
        "category": ("OrderShipped", { $0.payload.categories == ["OrderShipped"] }),
        "extension-plist": ("Info.plist", { $0.payload.extensionPlist == FilePath("Info.plist") }),
        "minimum-ios": ("15.4", { $0.payload.minimumIOS == IOSVersion("15.4") }),
        "fetch": ("1", { $0.payload.fetches }),
        "network": ("dead", { $0.simulate.network == SimulatedNetwork(named: "dead") }),
        "media-answer": ("a.jpg", { $0.simulate.media == FilePath("a.jpg") }),
        "status": ("503", { $0.simulate.status == 503 }),
        "rate": ("20KB", { $0.simulate.rate == 20_000 }),
        "data-mode": ("constrained", { $0.simulate.condition == "constrained" }),
        "extension-memory": ("12MB", { $0.simulate.memory == 12_000_000 }),
        "extension-seconds": ("2.5", { $0.simulate.seconds == 2.5 }),
        "clock": ("10", { $0.simulate.clock == 10 }),
        "every": ("0.25", { $0.simulate.interval == 0.25 }),
        "repeat": ("4", { $0.simulate.repetitions == 4 }),
        "payload-key": ("key", { $0.simulate.keyFile == FilePath("key") }),
        "details": ("https://a.example/{id}", { $0.simulate.details == "https://a.example/{id}" }),
        "details-answer": ("a.json", { $0.simulate.detailsAnswer == FilePath("a.json") }),
        "strings": ("s.json", { $0.simulate.strings == FilePath("s.json") }),
        "bundle": ("/", { $0.simulate.bundle == "/" }),
    ]

    private static let options = OptionSpec.table.filter { $0.environment != nil }.map(\.long)

    /// A command line that is complete but for the option.
    private static func base(_ spec: OptionSpec) -> [String] {
        if spec.commands == [.help] { return ["help"] }
        if spec.commands.contains(.sweep), !spec.commands.contains(.link), !spec.commands.contains(.batch) {
            return ["sweep"]
        }
        if spec.commands == [.serve] { return ["serve"] }
        if spec.commands == [.simulate] { return ["simulate", "push.json"] }
        if spec.commands == [.payload] { return ["payload", "check", "push.json"] }
        if spec.commands.contains(.link), !spec.commands.contains(.prepare), !spec.commands.contains(.batch) {
            return ["link", "prepare", "https://shop.example/a.jpg"]
        }
        if !spec.commands.contains(.batch) { return ["prepare", "x", "-o", "out"] }
        return ["batch", "x", "-o", "out"] + (spec.long == "null" ? ["--files-from", "-"] : [])
    }

    @Test(arguments: options) func everyOptionWorks(_ long: String) throws {
        let spec = try #require(OptionSpec.named(long))
        let sample = try #require(Self.samples[long], "a new option needs a sample here")
        let base = Self.base(spec)
        let isFlag = spec.placeholder == nil
        var forms =
            isFlag
            ? [["--\(long)"], ["--\(long)=yes"]]
            : [["--\(long)=\(sample.value)"], ["--\(long)", sample.value]]
        if let short = spec.short { forms.append(isFlag ? ["-\(short)"] : ["-\(short)", sample.value]) }
        if let short = spec.short, !isFlag { forms.append(["-\(short)\(sample.value)"]) }
        for form in forms {
            guard case .run(_, let settings, _) = try ArgumentParser.parse((base + form).map { FilePath($0) })
            else {
                Issue.record("no command ran for \(form)")
                continue
            }
            #expect(sample.holds(settings), "\(form)")
        }
    }

    @Test(arguments: options) func everyVariableWorksAndTheCommandLineWins(_ long: String) throws {
        let spec = try #require(OptionSpec.named(long))
        let sample = try #require(Self.samples[long])
        let variable = try #require(spec.environment)
        #expect(variable.hasPrefix("ATTACHPREP_"))
        var base = Self.base(spec)
        if long == "output" { base = ["batch", "x"] }
        let words = base.map { FilePath($0) }
        let environment = { (name: String) in name == variable ? FilePath(sample.value) : nil }
        guard case .run(_, let settings, _) = try ArgumentParser.parse(words, environment: environment) else {
            Issue.record("no command ran")
            return
        }
        #expect(sample.holds(settings))
        guard spec.placeholder == nil else { return }
        let off = words + [FilePath("--\(long)=no")]
        guard case .run(_, let settings, _) = try ArgumentParser.parse(off, environment: environment) else {
            return
        }
        #expect(!sample.holds(settings))
    }

    @Test func aTypedValueReplacesTheVariable() throws {
        let environment = ["ATTACHPREP_MAX_BYTES": "1MB", "ATTACHPREP_PROFILE": "thumb,icon"]
        let typed = try settings(
            "prepare", "x", "-o", "o", "--max-bytes", "2MB", "--profile=fcm", environment: environment)
        #expect(typed.options.maxBytes == 2_000_000)
        #expect(typed.profiles == [.fcm])
        let inherited = try settings("prepare", "x", "-o", "o", environment: environment)
        #expect(inherited.options.maxBytes == 1_000_000)
        #expect(inherited.profiles == [.thumb, .icon])
    }

    @Test func aWrongVariableIsNamed() {
        let error = usageError("prepare", "x", "-o", "o", environment: ["ATTACHPREP_TIMEOUT": "soon"])
        #expect(error?.message.contains("ATTACHPREP_TIMEOUT") == true)
        let profile = usageError("prepare", "x", "-o", "o", environment: ["ATTACHPREP_PROFILE": "apsn"])
        #expect(profile?.message.contains("ATTACHPREP_PROFILE") == true)
        // Only what the command takes is looked at, and an empty variable is none.
        #expect(usageError("prepare", "x", "-o", "o", environment: ["ATTACHPREP_JOBS": "many"]) == nil)
        #expect(usageError("prepare", "x", "-o", "o", environment: ["ATTACHPREP_TIMEOUT": ""]) == nil)
    }

    @Test func profilesRepeat() throws {
        let both = try settings(
            "prepare", "x", "-o", "o", "--profile", "apns", "--profile", "thumb", "--profile", "apns")
        #expect(both.profiles == [.apns, .thumb])
        #expect(try settings("prepare", "x", "-o", "o").profiles == [.apns])
    }

    @Test func wordsAfterTwoDashesAreOperands() throws {
        guard
            case .run(_, _, let operands) = try ArgumentParser.parse(
                ["prepare", "-o", "o", "-", "--", "--json", "-q"].map { FilePath($0) })
        else { return }
        #expect(operands.map(\.display) == ["-", "--json", "-q"])
    }

    @Test func bytesThatAreNotTextSurvive() throws {
        let name = FilePath(bytes: [0x49, 0xE4, 0xFF])
        let output = FilePath(bytes: Array("--output=".utf8) + [0xFE])
        guard
            case .run(_, let settings, let operands) = try ArgumentParser.parse([
                FilePath("prepare"), name, output,
            ])
        else { return }
        #expect(operands == [name])
        #expect(settings.output?.bytes == [0xFE])
        #expect(name.display == "I\u{FFFD}\u{FFFD}")
        #expect(name.undisplayableBytes == name.bytes)
    }

    @Test func shortOptionsGather() throws {
        let gathered = try settings("batch", "--files-from=l", "-q0oout")
        #expect(gathered.quiet && gathered.batch.filesEndWithNUL && gathered.output == FilePath("out"))
    }

    @Test func helpAndVersion() throws {
        guard case .help(nil) = try ArgumentParser.parse([FilePath("--help")]) else {
            throw UsageError("general")
        }
        guard case .help(.batch) = try ArgumentParser.parse([FilePath("batch"), FilePath("-h")]) else {
            throw UsageError("batch")
        }
        guard case .version = try ArgumentParser.parse([FilePath("--version")]) else {
            throw UsageError("version")
        }
    }

    @Test(arguments: [
        (["perpare", "x"], "there is no command 'perpare'", "did you mean 'prepare'?"),
        (
            ["prepare", "x", "-o", "o", "--max-byte", "1"], "there is no option '--max-byte'",
            "did you mean '--max-bytes'?"
        ),
        (
            ["prepare", "x", "-o", "o", "--profile", "tumb"], "there is no profile 'tumb'",
            "did you mean 'thumb'?"
        ),
        (["batch", "x", "-o", "o", "--media", "al"], "--media takes images or all", "did you mean 'all'?"),
        (["completions", "fsh"], "not for 'fsh'", "did you mean 'fish'?"),
        (["help", "snif"], "there is no command 'snif'", "did you mean 'sniff'?"),
        (["prepare", "x", "-o", "o", "--max-bytes", "300K"], "not '300K'", "did you mean '300KB'"),
    ])
    func misspeltWordsAreCorrected(_ words: [String], _ message: String, _ hint: String) {
        do throws(UsageError) {
            _ = try ArgumentParser.parse(words.map { FilePath($0) })
            Issue.record("\(words) was accepted")
        } catch {
            #expect(error.message.contains(message))
            #expect(error.hint?.contains(hint) == true, "\(error.hint ?? "no hint")")
        }
    }

    @Test(arguments: [
        ([], "no command"),
        (["prepare", "x"], "--output"),
        (["prepare", "-o", "o"], "needs an input"),
        (["batch", "-o", "o"], "needs a folder"),
        (["batch", "-", "-o", "o"], "cannot read '-'"),
        (["batch", "x", "-o", "o", "-0"], "no --files-from"),
        (["prepare", "x", "-o"], "needs a value"),
        (["prepare", "x", "-o", ""], "takes a path"),
        (["prepare", "x", "-o", "o", "--jobs", "2"], "option of batch"),
        (["prepare", "x", "-o", "o", "--json=maybe"], "yes or no"),
        (["prepare", "x", "-o", "o", "--min-quality", "91"], "above the ceiling"),
        (["prepare", "x", "-o", "o", "--min-quality", "0"], "from 1 to 100"),
        (["prepare", "x", "-o", "o", "--background", "white"], "RRGGBB"),
        (["prepare", "x", "-o", "o", "--timeout", "-1"], "seconds"),
        (["prepare", "x", "-o", "o", "--timeout", "1e9"], "seconds"),
        (["prepare", "x", "-o", "o", "--spool-dir", "/no/such/folder"], "a folder that exists"),
        (["batch", "https://example.com/a.jpg", "-o", "o"], "is a link"),
        (["sniff", "https://example.com/a.jpg"], "is a link"),
        (["prepare", "x", "-o", "o", "--allow-address", "10.0.0/8"], "addresses such as"),
        (["prepare", "x", "-o", "o", "--header", "Authorization: x"], "a host, a header's name"),
        (["link", "sign", "x", "--expires", "soon"], "seconds since 1970"),
        (["link", "sign", "x", "--public-base", "push.example"], "an address such as"),
        (["cache", "stats", "--cache-days", "-1"], "from 0 to"),
        (["batch", "x", "-o", "o", "--shard", "0/3"], "a part such as 2/3"),
        (["batch", "x", "-o", "o", "--shard", "4/3"], "a part such as 2/3"),
        (["batch", "x", "-o", "o", "--jobs", "0"], "from 1 to 1024"),
        (["sniff"], "needs an input"),
        (["profiles", "x"], "takes no operand"),
        (["completions"], "needs a shell"),
        (["sniff", "-z"], "there is no option '-z'"),
    ])
    func wrongUseIsRefusedWithItsReason(_ words: [String], _ message: String) {
        do throws(UsageError) {
            _ = try ArgumentParser.parse(words.map { FilePath($0) })
            Issue.record("\(words) was accepted")
        } catch {
            #expect(error.message.contains(message), "\(error.message)")
        }
    }

    @Test func nothingIsSuggestedForWhatIsNear() {
        #expect(Suggestion.nearest(to: "zzz", among: ["prepare", "batch"]) == nil)
        #expect(Suggestion.nearest(to: "BATCH", among: ["prepare", "batch"]) == "batch")
        #expect(Suggestion.nearest(to: "prep", among: ["prepare", "batch"]) == "prepare")
        #expect(Suggestion.distance(Array("bacth"), Array("batch")) == 1)
        #expect(Suggestion.distance(Array("kitten"), Array("sitting")) == 3)
        #expect(Suggestion.distance([], Array("abc")) == 3)
    }
}

@Suite struct ByteSizeTests {
    @Test(arguments: [
        ("300000", 300_000), ("1", 1), ("300KB", 300_000), ("300kB", 300_000), ("300KiB", 307_200),
        ("1MB", 1_000_000),
        ("1MiB", 1_048_576), ("2GB", 2_000_000_000), ("2GiB", 2 << 30), ("007B", 7),
        ("9223372036854775807", Int.max),
    ])
    func sizes(_ text: String, _ bytes: Int) { #expect(ByteSize.parse(text) == .success(bytes)) }

    @Test(arguments: [
        ("", ByteSize.Refusal.malformed), ("KB", .malformed), ("-1", .malformed), ("+1", .malformed),
        (" 1", .malformed),
        ("1 KB", .malformed), ("1TB", .malformed), ("0x10", .malformed), ("1e6", .malformed),
        ("١KB", .malformed),
        ("0", .zero), ("0KB", .zero), ("300K", .ambiguousUnit), ("1m", .ambiguousUnit), ("1.5MB", .fraction),
        ("9223372036854775808", .tooLarge), ("9223372036854775807KB", .tooLarge),
        ("99999999999GiB", .tooLarge),
    ])
    func nonsense(_ text: String, _ refusal: ByteSize.Refusal) {
        #expect(ByteSize.parse(text) == .failure(refusal))
    }

    @Test func sizesForPeople() {
        #expect(Display.size(999) == "999 B")
        #expect(Display.size(212_345) == "212 kB")
        #expect(Display.size(999_499) == "999 kB")
        #expect(Display.size(999_500) == "1.0 MB")
        #expect(Display.safe("a\u{1b}[2J\u{202E}b") == "a\\u{1b}[2J\\u{202e}b")
    }
}
