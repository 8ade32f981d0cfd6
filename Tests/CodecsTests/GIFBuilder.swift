/// A GIF put together block by block (GIF 89a).
struct GIFBuilder {
    struct Image {
        var x = 0
        var y = 0
        var width: Int
        var height: Int
        /// Indices from the top left, row by row, whatever `isInterlaced` says.
        var indices: [UInt8]
        var palette: [[UInt8]] = []
        var isInterlaced = false
        var transparent: UInt8?
        var codeSize = 2
        /// The data itself instead of the indices' codes.
        var data: [UInt8]?
    }

    var width: Int
    var height: Int
    var background: UInt8 = 0
    var palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
    /// Blocks before the images.
    var before: [UInt8] = []
    var images: [Image]
    var after: [UInt8] = []

    var bytes: [UInt8] {
        var bytes = Array("GIF89a".utf8) + little(width) + little(height)
        bytes +=
            [palette.isEmpty ? 0 : 0x80 | depth(palette), background, 0] + palette.flatMap { $0 } + before
        for image in images {
            if let transparent = image.transparent {
                bytes += [0x21, 0xF9, 4, 1, 0, 0, transparent, 0]
            }
            bytes += [0x2C] + little(image.x) + little(image.y) + little(image.width) + little(image.height)
            let table: UInt8 = image.palette.isEmpty ? 0 : 0x80 | depth(image.palette)
            bytes += [table | (image.isInterlaced ? 0x40 : 0)] + image.palette.flatMap { $0 }
            bytes += [UInt8(image.codeSize)]
            bytes += Self.blocks(image.data ?? Self.codes(order(image), codeSize: image.codeSize))
        }
        return bytes + after + [0x3B]
    }

    static func `extension`(_ label: UInt8, _ blocks: [[UInt8]]) -> [UInt8] {
        [0x21, label] + blocks.flatMap { [UInt8($0.count)] + $0 } + [0]
    }

    /// Data cut into blocks, with the empty one at the end.
    static func blocks(_ data: [UInt8]) -> [UInt8] {
        stride(from: 0, to: data.count, by: 255).flatMap { start in
            let part = data[start..<min(start + 255, data.count)]
            return [UInt8(part.count)] + part
        } + [0]
    }

    /// LZW as appendix F describes it: a table that grows, and is cleared when it is full.
    static func codes(_ indices: [UInt8], codeSize: Int) -> [UInt8] {
        var writer = BitWriter()
        let clear = 1 << codeSize
        var table: [[UInt8]: Int] = [:]
        var (next, bits) = (clear + 2, codeSize + 1)
        writer.put(clear, bits)
        var string: [UInt8] = []
        func code(_ string: [UInt8]) -> Int { string.count == 1 ? Int(string[0]) : table[string] ?? 0 }
        for index in indices {
            if string.isEmpty || table[string + [index]] != nil {
                string.append(index)
                continue
            }
            writer.put(code(string), bits)
            if next == 4096 {
                writer.put(clear, bits)
                table = [:]
                (next, bits) = (clear + 2, codeSize + 1)
            } else {
                table[string + [index]] = next
                if next == 1 << bits { bits += 1 }
                next += 1
            }
            string = [index]
        }
        if !string.isEmpty { writer.put(code(string), bits) }
        // The reader's table is one code behind.
        if next == 1 << bits, bits < 12 { bits += 1 }
        writer.put(clear + 1, bits)
        return writer.bytes
    }

    /// Indices in the order of the file: every eighth row, those between, and so on (appendix E).
    private func order(_ image: Image) -> [UInt8] {
        guard image.isInterlaced else { return image.indices }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { first, step in
            stride(from: first, to: image.height, by: step).flatMap { y in
                image.indices[(y * image.width)..<((y + 1) * image.width)]
            }
        }
    }

    private func depth(_ palette: [[UInt8]]) -> UInt8 {
        UInt8((palette.count - 1).bitWidth - 1 - (palette.count - 1).leadingZeroBitCount)
    }

    private func little(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
}

/// Numbers of any width, lowest bit first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used = 8

    mutating func put(_ value: Int, _ bits: Int) {
        for i in 0..<bits {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            if value >> i & 1 == 1 { bytes[bytes.count - 1] |= 1 << UInt8(used) }
            used += 1
        }
    }
}
