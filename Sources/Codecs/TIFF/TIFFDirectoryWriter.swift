#if TIFF
    internal import Pixels

    /// Writes one directory in a file's own byte order and flavour.
    struct TIFFDirectoryWriter {
        private enum Value {
            case bytes([UInt8])
            /// Where the values are already.
            case place(Int)
        }

        private let isLittleEndian: Bool
        private let isBig: Bool
        private var entries: [(tag: UInt16, type: Int, count: Int, value: Value)] = []

        init(like bytes: TIFFBytes) {
            isLittleEndian = bytes.isLittleEndian
            isBig = bytes.isBig
        }

        /// The fields that decoding a picture takes.
        mutating func add(_ picture: TIFFPicture) throws(CodecError) {
            let directory = picture.directory
            add(TIFFTag.width, long: picture.size.width)
            add(TIFFTag.height, long: picture.size.height)
            add(TIFFTag.compression, short: [picture.compression])
            add(TIFFTag.photometric, short: [picture.photometricForLibrary])
            add(TIFFTag.samples, short: [picture.sampleCount])
            add(TIFFTag.planar, short: [picture.isPlanar ? 2 : 1])
            if picture.predictor != 1 { add(TIFFTag.predictor, short: [picture.predictor]) }
            if picture.isReversed { add(TIFFTag.fillOrder, short: [2]) }
            try addChunks(picture)
            var copied = [TIFFTag.t4Options, TIFFTag.t6Options, TIFFTag.jpegTables, TIFFTag.yccSubsampling]
            if picture.isLogarithmic {
                copied += [TIFFTag.bits, TIFFTag.sampleFormat]
            } else {
                let count = picture.sampleCount
                add(TIFFTag.bits, short: [Int](repeating: picture.bits, count: count))
                add(TIFFTag.sampleFormat, short: [Int](repeating: picture.samples.rawValue, count: count))
            }
            if picture.compression == 6 {
                copied += [
                    TIFFTag.oldJPEGProcess, TIFFTag.jpegOffset, TIFFTag.jpegBytes, TIFFTag.oldJPEGRestart,
                    TIFFTag.oldJPEGQTables, TIFFTag.oldJPEGDCTables, TIFFTag.oldJPEGACTables,
                ]
            }
            for tag in copied { try copy(directory, tag) }
        }

        private mutating func addChunks(_ picture: TIFFPicture) throws(CodecError) {
            let chunks = picture.chunks
            if chunks.isTiled {
                add(TIFFTag.tileWidth, long: chunks.width)
                add(TIFFTag.tileHeight, long: chunks.height)
            } else {
                add(TIFFTag.rowsPerStrip, long: chunks.height)
            }
            try add(
                picture.directory, chunks.offsets,
                as: chunks.isTiled ? TIFFTag.tileOffsets : TIFFTag.stripOffsets)
            if let counts = chunks.byteCounts {
                try add(
                    picture.directory, counts, as: chunks.isTiled ? TIFFTag.tileBytes : TIFFTag.stripBytes)
            }
        }

        /// Adds a field whose values stay where they are, unless the entry itself has them.
        private mutating func add(
            _ directory: TIFFDirectory, _ field: TIFFField, as tag: UInt16
        ) throws(CodecError) {
            if field.bytes <= wide {
                let value = try directory.bytes.bytes(at: field.place, count: field.bytes)
                entries.append((tag, field.type, field.count, .bytes(value)))
            } else {
                entries.append((tag, field.type, field.count, .place(field.place)))
            }
        }

        /// Adds a small field with its values.
        private mutating func copy(_ directory: TIFFDirectory, _ tag: UInt16) throws(CodecError) {
            guard let field = directory.fields[tag], let value = try directory.content(tag, limit: 65_536)
            else { return }
            entries.append((tag, field.type, field.count, .bytes(value)))
        }

        private mutating func add(_ tag: UInt16, short values: [Int]) {
            entries.append((tag, 3, values.count, .bytes(values.flatMap { number($0, bytes: 2) })))
        }

        private mutating func add(_ tag: UInt16, long value: Int) {
            entries.append((tag, 4, 1, .bytes(number(value, bytes: 4))))
        }

        /// The directory as it lies at `start`, with what its entries point to behind it; no other follows.
        func directory(at start: Int) -> [UInt8] {
            var table = number(entries.count, bytes: isBig ? 8 : 2)
            let tableBytes = table.count + entries.count * (isBig ? 20 : 12) + wide
            var behind: [UInt8] = []
            for entry in entries.sorted(by: { $0.tag < $1.tag }) {
                table += number(Int(entry.tag), bytes: 2) + number(entry.type, bytes: 2)
                table += number(entry.count, bytes: wide)
                switch entry.value {
                case .place(let place): table += number(place, bytes: wide)
                case .bytes(let value) where value.count <= wide:
                    table += value + [UInt8](repeating: 0, count: wide - value.count)
                case .bytes(let value):
                    table += number(start + tableBytes + behind.count, bytes: wide)
                    behind += value
                    if behind.count & 1 == 1 { behind.append(0) }
                }
            }
            return table + number(0, bytes: wide) + behind
        }

        /// The header of a file whose directory lies at `offset`.
        func header(directoryAt offset: Int) -> [UInt8] {
            let order: [UInt8] = isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D]
            guard isBig else { return order + number(42, bytes: 2) + number(offset, bytes: 4) }
            return order + number(43, bytes: 2) + number(8, bytes: 2) + number(0, bytes: 2)
                + number(offset, bytes: 8)
        }

        /// Bytes of an offset or count.
        private var wide: Int { isBig ? 8 : 4 }

        private func number(_ value: Int, bytes: Int) -> [UInt8] {
            let little = (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittleEndian ? little : little.reversed()
        }
    }
#endif
