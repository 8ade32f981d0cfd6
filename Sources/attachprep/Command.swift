/// The commands, in the order help lists them.
///
/// Everything help, completions and the README say about a command is here; what it does is in its own file.
enum Command: String, CaseIterable, Sendable {
    case prepare, batch, link, cache, serve, hook, sweep, payload, simulate
    case sniff, profiles, completions, help

    /// What it does, on one line.
    var summary: String {
        switch self {
        case .prepare: "Turn one or several inputs into attachments"
        case .batch: "Turn folders of pictures into attachments, in parallel and resumable"
        case .link: "Sign links, check them, or turn them into cached attachments"
        case .cache: "Say what a cache holds, bring it within its limits, or check it"
        case .serve: "Turn uploads into attachments over HTTP, and hand them out"
        case .hook: "Be the program that a media server runs on every upload"
        case .sweep: "Do what waits in the hook's queue, and find uploads whose hook got lost"
        case .payload: "Say why a push shows no picture, or put links with an extension into it"
        case .simulate: "Show what a user would see of a push, on a bad network too"
        case .sniff: "Say what files are, by their bytes"
        case .profiles: "List the built-in profiles"
        case .completions: "Print a completion script for a shell"
        case .help: "Explain a command"
        }
    }

    /// What follows the command's name on the usage line.
    var operands: String {
        switch self {
        case .prepare: "INPUT... --output DIR|FILE.jpg|-"
        case .batch: "PATH... --output DIR"
        case .link: LinkCommand.Verb.words.joined(separator: "|") + " LINK..."
        case .cache: CacheCommand.Verb.words.joined(separator: "|") + " --cache DIR"
        case .serve: "--cache DIR"
        case .hook: "[PATH...|JSON]"
        case .sweep: "--queue DIR"
        case .payload: PayloadCommand.Verb.words.joined(separator: "|") + " INPUT..."
        case .simulate: "PAYLOAD..."
        case .sniff: "INPUT..."
        case .profiles: ""
        case .completions: Shell.allCases.map(\.rawValue).joined(separator: "|")
        case .help: "[COMMAND]"
        }
    }

    /// The words its operands are chosen from, if it is a closed list.
    var operandWords: [String] {
        switch self {
        case .link: LinkCommand.Verb.words
        case .cache: CacheCommand.Verb.words
        case .payload: PayloadCommand.Verb.words
        case .completions: Shell.allCases.map(\.rawValue)
        case .help: Command.allCases.map(\.rawValue)
        default: []
        }
    }

    /// What one must know to use it.
    var details: String {
        switch self {
        case .prepare:
            """
            An INPUT is a path, a link, or - for standard input. Each becomes one small JPEG within the byte budget,
            DIR/IMG_0001.jpg; with several profiles DIR/IMG_0001-thumb.jpg. Audio and video pass under the
            profile apns, without their metadata, as DIR/VID_0002.mp4. Inputs that would share a name keep
            their suffix: IMG_1.heic.jpg, IMG_1.png.jpg. Standard input and links have no name, so their output is
            named by content, as with --cache-names. Links are https, and lead to public addresses only.
            --output FILE.jpg is for a single output. --output - writes the picture to standard output and the
            record, as JSON, to standard error.
            """
        case .batch:
            """
            A PATH is a folder, walked to its ends, or a file. The tree below it is mirrored in DIR; with several
            PATHs in DIR/<name of the PATH>/. Left alone are hidden files, __MACOSX, AppleDouble files, empty
            files, Git LFS pointers and whatever has neither an image's suffix nor an image's first bytes (with
            --media all: nor those of audio or video).
            A second run does only what is new or changed: it remembers size, time and options of each source in
            DIR/.attachprep. Ctrl-C stops it; what is finished stays, and the next run goes on from there.
            """
        case .link:
            """
            prepare  fetches each LINK into the cache as an attachment with an extension; once, however many ask.
                     A link that is known is answered without the network as long as its server said. A signed
                     link is checked first, with --key-file.
            sign     prints a lazy link: it goes into a payload without any fetch, and the server with the same
                     keys prepares it when somebody first asks. It names a profile and carries no other options.
            verify   checks signed links and prints the links inside.

            A key file has a line 'ID BASE64' for each key, the secret of 32 bytes or more in base64:
            echo "k1 $(head -c 32 /dev/urandom | base64)" > keys
            """
        case .cache:
            """
            stats   counts what there is
            trim    drops what is over --cache-limit or older than --cache-days now; otherwise whoever writes does
            verify  reads every attachment and drops what is damaged; status 1 if something was
            """
        case .serve:
            """
            POST /v1/attachments?profile=NAME  an upload: the body itself, a form with a file, or {"url": LINK};
                                               201 (new) or 200 (known) and the record, or why there is none
            GET /media/<2 hex>/<64 hex>.<ext>  an attachment; also without /media, as records' url says it
            GET /s/...                         a signed link, with --key-file; prepared when first asked for
            POST /hooks/tusd, POST /hooks/s3   an upload elsewhere, with --queue; {} once it is on the disk
            GET /healthz /readyz /metrics      whether it lives, takes more, and figures for Prometheus

            Every input is decoded in a process of its own kind, whose memory and time are limited; when one dies its
            request is answered 'decoder-crashed' and the next one gets another. All of them together take no more
            than --memory-limit; who does not fit waits, and when --max-waiting wait the next is answered 429.
            Listen on a Unix socket or on this machine alone, and let a proxy such as nginx speak to the world.
            SIGTERM ends it within 20 seconds, begun work first.
            """
        case .hook: HookCommand.details
        case .sweep: SweepCommand.details
        case .payload:
            """
            check    looks at a payload as APNs or FCM gets it and says what keeps its picture away: what, where, why
                     and the cure. Status 1 if anything is fatal. The size counted is that of the payload as it is,
                     white space inside it included and around it not, for that is what APNs counts.
            rewrite  prints the payload with each link at a known key replaced, and changes nothing else but
                     mutable-content where it is missing. With --key-file the new link is a signed one and nothing
                     is fetched; else it leads to the attachment that was made in --cache. White space is dropped
                     only if the payload is over 4096 bytes otherwise. What cannot be rewritten is told on standard
                     error, passes through as it is (--on-error), and makes the status 1.

            An INPUT is a path, or - for standard input; with --lines each of its lines is a payload.
            """
        case .simulate: SimulateCommand.details
        case .sniff:
            """
            Reads as much of each INPUT as it takes to be sure (- is standard input) and prints its type, MIME
            type, type hint and what would be done with it. The name is never trusted, only compared.
            """
        case .profiles: "A profile is a box a picture must fit, and the bytes it may take."
        case .completions:
            """
            bash:  attachprep completions bash > ~/.local/share/bash-completion/completions/attachprep
            zsh:   attachprep completions zsh > "${fpath[1]}/_attachprep"
            fish:  attachprep completions fish > ~/.config/fish/completions/attachprep.fish
            """
        case .help: "Without a COMMAND it lists them all."
        }
    }

    /// Command lines that teach, each with what it is for.
    var examples: [(line: String, purpose: String)] {
        switch self {
        case .prepare:
            [
                (
                    "attachprep prepare IMG_0001.JPG --output out",
                    "makes out/IMG_0001.jpg, at most 300,000 bytes"
                ),
                (
                    "attachprep prepare a.png b.jpg -o out --profile apns --profile thumb",
                    "two sizes from one decode"
                ),
                (
                    "attachprep prepare photo.png -o push.jpg --max-bytes 200KB",
                    "one file of exactly that name"
                ),
                (
                    "curl -s \"$URL\" | attachprep prepare - --output out --json",
                    "a stream; the record says the path"
                ),
            ]
        case .batch:
            [
                ("attachprep batch ~/Photos --output out", "mirrors the tree; run it again to catch up"),
                (
                    "attachprep batch ~/Photos --output out --dry-run",
                    "says what it would do, and does nothing"
                ),
                (
                    "attachprep batch 2023 2024 -o out --report report.jsonl",
                    "two folders, a JSON record for each file"
                ),
                (
                    "find . -type f -newer mark -print0 | attachprep batch --files-from - -0 -o out",
                    "files somebody else chose"
                ),
                (
                    "attachprep batch ~/Photos -o out --shard 2/3",
                    "the second of three machines that share the work"
                ),
            ]
        case .link:
            [
                (
                    "attachprep link prepare 'https://shop.example/download?id=15' --cache cache",
                    "prints cache/media/<2 hex>/<64 hex>.jpg"
                ),
                (
                    "attachprep link sign \"$LINK\" --key-file keys --public-base https://push.example",
                    "https://push.example/s/k1.0..../apns/....jpg, for a payload"
                ),
            ]
        case .cache:
            [
                ("attachprep cache stats --cache cache", "attachments, links, bytes on the disk"),
                ("attachprep cache trim --cache cache --cache-limit 1GiB", "makes room now"),
            ]
        case .serve:
            [
                (
                    "attachprep serve --cache cache --listen unix:/run/attachprep.sock",
                    "behind nginx; see Samples/UploadHook"
                ),
                (
                    "curl --data-binary @IMG_1.heic http://127.0.0.1:8077/v1/attachments?profile=thumb",
                    "the record, and its attachment in the cache"
                ),
            ]
        case .hook:
            [
                (
                    "attachprep hook upload.bin --output out",
                    "makes out/upload.bin.jpg"
                ),
                (
                    "ln -s /usr/bin/attachprep hooks/post-finish; tusd -hooks-dir hooks",
                    "with ATTACHPREP_ROOT and ATTACHPREP_OUTPUT in tusd's environment"
                ),
            ]
        case .sweep:
            [
                (
                    "attachprep sweep --queue queue --root uploads --output out",
                    "does what waits, and prints what it made"
                ),
                (
                    "attachprep sweep --queue queue --tusd-dir uploads --output out --quiet",
                    "for cron: also what no hook told of"
                ),
            ]
        case .payload:
            [
                ("attachprep payload check push.json --fetch", "and looks at what the link leads to"),
                (
                    "attachprep payload check push.json --headers request.txt --extension-plist Info.plist",
                    "with the request's headers and the extension's Info.plist"
                ),
                (
                    "attachprep payload rewrite - --lines --key-file keys --public-base https://push.example",
                    "JSON lines in and out, for a sender's pipe"
                ),
            ]
        case .simulate:
            [
                (
                    "attachprep simulate push.json --media-answer photo.heic --network slow",
                    "a timeline, and what is seen in the end"
                ),
                (
                    "attachprep simulate push.json --network real",
                    "with the payload's own link"
                ),
                (
                    "attachprep simulate a.json b.json --media-answer photo.jpg --every 0.1 --network lossy",
                    "two pushes that overlap in one process"
                ),
            ]
        case .sniff:
            [
                (
                    "attachprep sniff upload.bin",
                    "upload.bin: png, image/png, public.png, transcode (named .bin)"
                ),
                ("attachprep sniff --json *", "one JSON object a line"),
            ]
        case .profiles: [("attachprep profiles --json", "the same for programs")]
        case .completions: [("source <(attachprep completions bash)", "for this shell only")]
        case .help: [("attachprep help batch", "everything about batch")]
        }
    }
}

/// The shells completions are written for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}
