/// Writes TIFF files field by field, so that tests can make sound ones, odd ones and lies.
struct TIFFFile {
    enum Value {
        case shorts([Int])
        case longs([Int])
        case fractions([(Int, Int)])
        case bytes([UInt8])
        /// Any type and count, with what stands in the entry itself.
        case raw(type: Int, count: Int, field: Int)

        static func short(_ value: Int) -> Value { .shorts([value]) }
        static func long(_ value: Int) -> Value { .longs([value]) }
    }

    struct Page {
        var fields: [Int: Value]
        /// The encoded data of each strip or tile.
        var chunks: [[UInt8]] = []
        /// Pages below this one (SubIFDs).
        var children: [Page] = []
        /// A whole JPEG (JPEGInterchangeFormat).
        var jpeg: [UInt8]?
        /// Where the next directory lies, if not behind this one.
        var next: Int?
    }

    var isLittleEndian = true
    var isBig = false
    var magic: Int?
    var pages: [Page]

    /// The file's bytes: header, then each page's data, children and directory.
    func bytes() -> [UInt8] {
        var file = header(first: 0)
        var links: [Int] = []
        for page in pages { links.append(append(page, to: &file)) }
        // Each directory ends with the place of the next.
        for (index, page) in pages.enumerated() {
            let next = page.next ?? (index + 1 < links.count ? links[index + 1] : 0)
            let at = links[index] + (isBig ? 8 : 2) + fieldCount(page) * (isBig ? 20 : 12)
            file.replaceSubrange(at..<(at + wide), with: number(next, wide))
        }
        file.replaceSubrange(0..<(isBig ? 16 : 8), with: header(first: links.first ?? 0))
        return file
    }

    private var wide: Int { isBig ? 8 : 4 }

    private func header(first: Int) -> [UInt8] {
        let order: [UInt8] = isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]
        guard isBig else { return order + number(magic ?? 42, 2) + number(first, 4) }
        return order + number(magic ?? 43, 2) + number(8, 2) + number(0, 2) + number(first, 8)
    }

    private func fieldCount(_ page: Page) -> Int { allFields(page, [], [], 0).count }

    private func allFields(_ page: Page, _ places: [Int], _ children: [Int], _ jpeg: Int) -> [Int: Value] {
        var fields = page.fields
        if !page.chunks.isEmpty {
            let isTiled = fields[322] != nil
            let set: (Int, [Int]) -> Void = { tag, values in
                if fields[tag] == nil { fields[tag] = .longs(values) }
            }
            set(isTiled ? 324 : 273, places.isEmpty ? page.chunks.map { _ in 0 } : places)
            set(isTiled ? 325 : 279, page.chunks.map(\.count))
        }
        if !page.children.isEmpty {
            fields[330] = .longs(children.isEmpty ? page.children.map { _ in 0 } : children)
        }
        if let stream = page.jpeg {
            fields[513] = .long(jpeg)
            fields[514] = .long(stream.count)
        }
        return fields
    }

    /// Appends a page and what it points to; answers where its directory lies.
    private func append(_ page: Page, to file: inout [UInt8]) -> Int {
        func align() { if file.count % 2 == 1 { file.append(0) } }
        var places: [Int] = []
        for chunk in page.chunks {
            align()
            places.append(file.count)
            file += chunk
        }
        align()
        let jpeg = file.count
        file += page.jpeg ?? []
        var children: [Int] = []
        for child in page.children {
            align()
            children.append(append(child, to: &file))
        }
        align()
        let fields = allFields(page, places, children, jpeg).sorted { $0.key < $1.key }
        let start = file.count
        var table = number(fields.count, isBig ? 8 : 2)
        let size = table.count + fields.count * (isBig ? 20 : 12) + wide
        var behind: [UInt8] = []
        for (tag, value) in fields {
            let (type, count, content) = encoded(value)
            table += number(tag, 2) + number(type, 2) + number(count, wide)
            if content.count <= wide {
                table += content + [UInt8](repeating: 0, count: wide - content.count)
            } else {
                table += number(start + size + behind.count, wide)
                behind += content + [UInt8](repeating: 0, count: content.count % 2)
            }
        }
        file += table + number(0, wide) + behind
        return start
    }

    private func encoded(_ value: Value) -> (type: Int, count: Int, content: [UInt8]) {
        switch value {
        case .shorts(let values): (3, values.count, values.flatMap { number($0, 2) })
        case .longs(let values): (4, values.count, values.flatMap { number($0, 4) })
        case .fractions(let values): (5, values.count, values.flatMap { number($0.0, 4) + number($0.1, 4) })
        case .bytes(let values): (7, values.count, values)
        case .raw(let type, let count, let field): (type, count, number(field, wide))
        }
    }

    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        let little = (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isLittleEndian ? little : little.reversed()
    }
}

extension TIFFFile.Page {
    /// A page of one strip of uncompressed samples.
    init(
        _ width: Int, _ height: Int, photometric: Int, bits: [Int] = [8], data: [UInt8], compression: Int = 1,
        _ more: [Int: TIFFFile.Value] = [:]
    ) {
        self.init(
            fields: [
                256: .long(width), 257: .long(height), 258: .shorts(bits), 259: .short(compression),
                262: .short(photometric), 277: .short(bits.count), 278: .long(height),
            ].merging(more) { $1 }, chunks: [data])
    }
}
