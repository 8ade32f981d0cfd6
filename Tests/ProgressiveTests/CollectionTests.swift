import AttachmentPrep
import Foundation
import JPEGCore
import Pixels
import Testing

/// Folders of JPEGs that somebody else collected (`Tests/Peers/run progressive`).
private let folders = ProcessInfo.processInfo.environment["JPEG_FOLDERS"]?.split(separator: ":") ?? []

@Suite(.enabled(if: !folders.isEmpty)) struct CollectionTests {
    /// What came of one file.
    private enum Verdict {
        case same(String)
        case refused(String)
        case wrong(String)

        var text: String {
            switch self {
            case .same(let how): "same      \(how)"
            case .refused(let why): "refused   \(why)"
            case .wrong(let what): "DIFFERENT \(what)"
            }
        }
    }

    /// Above this many pixels libjpeg would keep gigabytes of coefficients.
    private static let mostPixels = 40_000_000

    @Test func everyFileOfSeveralScans() throws {
        let fixtures = try Fixtures()
        var counts = [0, 0, 0]
        for folder in folders {
            let root = URL(fileURLWithPath: String(folder))
            let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
            for name in names.sorted() {
                guard let data = try? Data(contentsOf: root.appendingPathComponent(name)),
                    data.starts(with: [0xFF, 0xD8]), hasSeveralScans([UInt8](data))
                else { continue }
                let verdict = judge([UInt8](data), fixtures)
                print(verdict.text.padding(toLength: 60, withPad: " ", startingAt: 0), name)
                switch verdict {
                case .same: counts[0] += 1
                case .refused: counts[1] += 1
                case .wrong:
                    counts[2] += 1
                    Issue.record("\(name): \(verdict.text)")
                }
            }
        }
        print("of several scans: \(counts[0]) same, \(counts[1]) refused, \(counts[2]) different")
    }

    /// Whether a frame is progressive, or has more than one scan header; found without what is tested.
    private func hasSeveralScans(_ jpeg: [UInt8]) -> Bool {
        var at = 2
        var scans = 0
        while at + 3 < jpeg.count {
            guard jpeg[at] == 0xFF, ![0, 0x01, 0xFF].contains(jpeg[at + 1]),
                !(0xD0...0xD8).contains(jpeg[at + 1])
            else {
                at += 1
                continue
            }
            if jpeg[at + 1] == 0xD9 { break }
            if [0xC2, 0xC6, 0xCA, 0xCE].contains(jpeg[at + 1]) { return true }
            if jpeg[at + 1] == 0xDA { scans += 1 }
            at += 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
        }
        return scans > 1
    }

    private func judge(_ jpeg: [UInt8], _ fixtures: Fixtures) -> Verdict {
        var options = PreparationOptions()
        options.limits.timeout = .seconds(60)
        options.limits.pixels = Self.mostPixels
        let record = AttachmentPreparer(profile: .apns, options: options).record(
            of: .bytes(jpeg, name: "collected"), into: .named("out", in: fixtures.folder.path))
        guard record.error?.code != .tooManyPixels else { return .refused("too-many-pixels") }
        let expected = Coefficients.libjpeg(jpeg)
        let theirs = expected.map { $0.warnings == 0 ? "" : ", libjpeg warns" } ?? ", libjpeg gives up"
        if let error = record.error {
            let why = "\(error.code.rawValue) (\(error.detail ?? error.message))\(theirs)"
            let isFine = expected?.warnings == 0 && error.code != .unsupportedVariant
            return isFine ? .wrong("\(why), libjpeg takes it") : .refused(why)
        }
        guard let expected else { return .wrong("prepared\(theirs)") }
        guard let got = try? Coefficients.lockstep(jpeg) else { return .wrong("the reader alone gives up") }
        if let difference = got.difference(from: expected.coefficients) { return .wrong(difference) }
        return pixels(jpeg, fixtures, theirs)
    }

    /// Compares the rows at two scales with djpeg's, where it writes grey or RGB.
    private func pixels(_ jpeg: [UInt8], _ fixtures: Fixtures, _ theirs: String) -> Verdict {
        var index = ScanIndex(maxScans: 100)
        try? index.push(jpeg.span)
        guard let geometry = index.geometry else { return .wrong("no frame header") }
        let count = geometry.components.count
        guard count == 1 || count == 3 else { return .same("coefficients of \(count) components\(theirs)") }
        for numerator in [4, 8] {
            let rows = try? decoded(jpeg, numerator: numerator, isGrey: count == 1, geometry.size).rows
            let expected = try? fixtures.djpeg(jpeg, numerator: numerator)
            guard let rows, let expected else { return .wrong("pixels of one decoder only") }
            if rows != expected { return .wrong("pixels at \(numerator)/8") }
        }
        return .same("coefficients and pixels\(theirs)")
    }
}
