#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Count, rate and time left on a terminal's last line.
final class ProgressBar {
    private let total: Int
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private var isVisible = false

    /// Nil unless standard error is a terminal.
    init?(total: Int) {
        guard isatty(2) == 1, total > 0 else { return nil }
        self.total = total
    }

    /// Whether a tenth of a second has passed since it was drawn.
    var isDue: Bool { lastDrawn.map { ContinuousClock.now - $0 >= .milliseconds(100) } ?? true }

    func draw(done: Int) {
        let now = ContinuousClock.now
        lastDrawn = now
        let elapsed = Self.seconds(now - start)
        let text = "\r\u{1b}[K" + Self.text(done: done, total: total, seconds: elapsed, width: Self.width)
        _ = FileSystem.write(Array(text.utf8), to: 2)
        isVisible = true
    }

    /// Takes the bar away until it is drawn again.
    func erase() {
        guard isVisible else { return }
        _ = FileSystem.write(Array("\r\u{1b}[K".utf8), to: 2)
        isVisible = false
    }

    /// The bar as text of at most `width - 1` characters, so that no terminal breaks the line.
    static func text(done: Int, total: Int, seconds: Double, width: Int) -> String {
        let rate = seconds > 0 ? Double(done) / seconds : 0
        var figures = " \(done)/\(total)"
        if rate > 0 {
            let tenths = Int(rate * 10)
            figures += "  \(tenths / 10).\(tenths % 10)/s  \(time(Double(total - done) / rate)) left"
        }
        let room = width - 1 - figures.utf8.count - 2
        guard room >= 5 else { return String(figures.dropFirst().prefix(max(0, width - 1))) }
        let length = min(room, 40)
        let full = total > 0 ? length * done / total : 0
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: length - full) + "]"
            + figures
    }

    private static func time(_ seconds: Double) -> String {
        let whole = seconds.isFinite && seconds < 360_000 ? Int(seconds.rounded(.up)) : 359_999
        let two = { (number: Int) -> String in number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private static var width: Int {
        var size = winsize()
        let result = unsafe ioctl(2, UInt(TIOCGWINSZ), &size)
        return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
