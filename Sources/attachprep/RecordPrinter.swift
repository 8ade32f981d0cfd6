internal import AttachmentPrep

/// Records on the two outputs: paths or JSON on the one, trouble on the other.
struct RecordPrinter {
    private let settings: Settings
    private let console: Console

    init(_ settings: Settings, _ console: Console) {
        self.settings = settings
        self.console = console
    }

    func print(_ record: PreparationRecord) {
        if settings.json { return console.json(record) }
        if !settings.quiet {
            for line in RecordText.results(record) { console.line(line) }
        }
        for line in RecordText.errors(record) { console.complain(line) }
    }
}
