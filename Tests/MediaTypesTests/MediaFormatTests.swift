import Foundation
import MediaTypes
import Testing

/// The table in code against the table in the fixture, column by column.
@Suite struct MediaFormatTests {
    private static let columns = [
        "format", "fileExtension", "mimeType", "typeHint", "family", "capBytes", "action",
    ]

    private func rows() throws -> [[String]] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let table = try String(contentsOf: tests.appending(path: "Fixtures/types.tsv"), encoding: .utf8)
        return table.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    @Test func everyColumnOfEveryRow() throws {
        let rows = try rows()
        #expect(rows.first?.prefix(7).elementsEqual(Self.columns) == true)
        for row in rows.dropFirst() {
            let format = try #require(MediaFormat(rawValue: row[0]), "\(row[0])")
            let found = [
                format.rawValue, format.fileExtension ?? "-", format.mimeType ?? "-", format.typeHint ?? "-",
                format.family.rawValue, format.capBytes.map(String.init) ?? "-", format.action.rawValue,
            ]
            #expect(found == Array(row.prefix(7)))
        }
    }

    @Test func sameFormatsInTheSameOrder() throws {
        #expect(try rows().dropFirst().map { $0[0] } == MediaFormat.allCases.map(\.rawValue))
        #expect(MediaFormat.allCases.count == 50)
    }

    @Test func rejectionsAreTheRecordsCodes() {
        let codes = [
            "empty", "unknown-format", "unsupported-format", "unsupported-variant", "html-document",
            "error-document",
        ]
        #expect(MediaRejection.allCases.map(\.rawValue) == codes)
    }
}
