#if TIFF
    /// A field of a directory: where its values lie, checked to be inside the file.
    struct TIFFField {
        let tag: UInt16
        let type: Int
        let count: Int
        /// Offset of the first value, in the entry itself where all of them fit there.
        let place: Int

        /// Bytes of one value; 0 for a type nobody knows.
        var valueBytes: Int { Self.valueBytes(type) }
        var bytes: Int { count * valueBytes }

        static func valueBytes(_ type: Int) -> Int {
            switch type {
            case 1, 2, 6, 7: 1
            case 3, 8: 2
            case 4, 9, 11, 13: 4
            case 5, 10, 12, 16, 17, 18: 8
            default: 0
            }
        }

        /// Whether values are unsigned whole numbers (BYTE, SHORT, LONG, IFD, LONG8, IFD8).
        var isUnsigned: Bool { [1, 3, 4, 13, 16, 18].contains(type) }
        /// Whether values are signed whole numbers, which some writers use for what is never negative.
        var isSigned: Bool { [6, 8, 9, 17].contains(type) }
    }

    /// Tags this reader knows; all others are passed over.
    enum TIFFTag {
        static let newSubfileType: UInt16 = 254
        static let subfileType: UInt16 = 255
        static let width: UInt16 = 256
        static let height: UInt16 = 257
        static let bits: UInt16 = 258
        static let compression: UInt16 = 259
        static let photometric: UInt16 = 262
        static let fillOrder: UInt16 = 266
        static let stripOffsets: UInt16 = 273
        static let orientation: UInt16 = 274
        static let samples: UInt16 = 277
        static let rowsPerStrip: UInt16 = 278
        static let stripBytes: UInt16 = 279
        static let planar: UInt16 = 284
        static let t4Options: UInt16 = 292
        static let t6Options: UInt16 = 293
        static let predictor: UInt16 = 317
        static let colorMap: UInt16 = 320
        static let tileWidth: UInt16 = 322
        static let tileHeight: UInt16 = 323
        static let tileOffsets: UInt16 = 324
        static let tileBytes: UInt16 = 325
        static let subDirectories: UInt16 = 330
        static let inkSet: UInt16 = 332
        static let extraSamples: UInt16 = 338
        static let sampleFormat: UInt16 = 339
        static let jpegTables: UInt16 = 347
        static let oldJPEGProcess: UInt16 = 512
        static let jpegOffset: UInt16 = 513
        static let jpegBytes: UInt16 = 514
        static let oldJPEGRestart: UInt16 = 515
        static let oldJPEGQTables: UInt16 = 519
        static let oldJPEGDCTables: UInt16 = 520
        static let oldJPEGACTables: UInt16 = 521
        static let yccCoefficients: UInt16 = 529
        static let yccSubsampling: UInt16 = 530
        static let referenceBlackWhite: UInt16 = 532
        /// Panasonic: a whole JPEG.
        static let jpgFromRaw: UInt16 = 46
        static let iccProfile: UInt16 = 34675
        static let dngVersion: UInt16 = 50706

        static let picture: Set<UInt16> = [
            newSubfileType, subfileType, width, height, bits, compression, photometric, fillOrder,
            stripOffsets, orientation, samples, rowsPerStrip, stripBytes, planar, t4Options, t6Options,
            predictor, colorMap, tileWidth, tileHeight, tileOffsets, tileBytes, subDirectories, inkSet,
            extraSamples, sampleFormat, jpegTables, oldJPEGProcess, jpegOffset, jpegBytes, oldJPEGRestart,
            oldJPEGQTables, oldJPEGDCTables, oldJPEGACTables, yccCoefficients, yccSubsampling,
            referenceBlackWhite, jpgFromRaw, iccProfile, dngVersion,
        ]

        /// What describes rather than shows: texts, dates, XMP, IPTC, Photoshop's resources, EXIF, GPS, GeoTIFF.
        static let descriptive: Set<UInt16> = [
            269, 270, 271, 272, 285, 305, 306, 315, 316, 700, 33432, 33550, 33723, 33922, 34264, 34377, 34665,
            34735, 34736, 34737, 34853, 37510, 37724, 42112, 42113, 50838, 50839,
        ]
    }

    /// One image file directory: the fields we know, by tag; of a tag given twice the first.
    struct TIFFDirectory {
        let offset: Int
        private(set) var fields: [UInt16: TIFFField] = [:]
        /// Whether it holds what describes rather than shows.
        private(set) var hasMetadata = false
        /// Whether a field's values lie behind the end of the file.
        private(set) var isCut = false
        /// Offset of the next one, 0 for none.
        private(set) var next = 0
        let bytes: TIFFBytes

        init(_ bytes: TIFFBytes, at offset: Int) throws(CodecError) {
            self.bytes = bytes
            self.offset = offset
            let (countBytes, entryBytes) = bytes.isBig ? (8, 20) : (2, 12)
            guard let count = try bytes.place(at: offset, count: countBytes) else {
                throw CodecError(.truncated, "the directory at \(offset) is cut")
            }
            guard count > 0, count <= 65_535 else {
                throw CodecError(.corrupt, "a directory of \(count) fields")
            }
            let start = offset + countBytes
            guard start + count * entryBytes <= bytes.size else {
                throw CodecError(.truncated, "the directory at \(offset) is cut")
            }
            for i in 0..<count {
                let entry = start + i * entryBytes
                guard let tag = try bytes.number(at: entry, count: 2) else { break }
                let known = UInt16(truncatingIfNeeded: tag)
                if TIFFTag.descriptive.contains(known) { hasMetadata = true }
                guard TIFFTag.picture.contains(known), fields[known] == nil else { continue }
                guard let field = try Self.field(bytes, known, at: entry) else { continue }
                if field.place <= bytes.size - field.bytes { fields[known] = field } else { isCut = true }
            }
            let behind = start + count * entryBytes
            next = try bytes.place(at: behind, count: bytes.isBig ? 8 : 4) ?? 0
        }

        /// Nil for a field of an unknown type, or one that no place in a file of this size could hold.
        private static func field(
            _ bytes: TIFFBytes, _ tag: UInt16, at entry: Int
        ) throws(CodecError) -> TIFFField? {
            let wide = bytes.isBig ? 8 : 4
            guard let type = try bytes.place(at: entry + 2, count: 2),
                let count = try bytes.place(at: entry + 4, count: wide), count > 0, count <= bytes.size
            else { return nil }
            let size = TIFFField.valueBytes(type) * count
            guard size > 0 else { return nil }
            var place = entry + 4 + wide
            if size > wide {
                guard let offset = try bytes.place(at: place, count: wide) else { return nil }
                place = offset
            }
            return TIFFField(tag: tag, type: type, count: count, place: place)
        }

        // MARK: Values

        func has(_ tag: UInt16) -> Bool { fields[tag] != nil }

        /// The value at `index` of a field of whole numbers; nil when there is none, or when it is negative.
        func value(_ field: TIFFField, _ index: Int) throws(CodecError) -> Int? {
            guard index >= 0, index < field.count else { return nil }
            let size = field.valueBytes
            guard let raw = try bytes.number(at: field.place + index * size, count: size) else { return nil }
            if field.isSigned {
                return raw >> UInt64(8 * size - 1) == 1 ? nil : Int(raw)
            }
            return field.isUnsigned ? Int(exactly: raw) : nil
        }

        /// The first value of a tag.
        func value(_ tag: UInt16) throws(CodecError) -> Int? {
            guard let field = fields[tag] else { return nil }
            return try value(field, 0)
        }

        /// Up to `limit` values of a tag; nil when there is none.
        func values(_ tag: UInt16, limit: Int) throws(CodecError) -> [Int]? {
            guard let field = fields[tag] else { return nil }
            var values: [Int] = []
            for i in 0..<min(limit, field.count) {
                guard let value = try value(field, i) else { return nil }
                values.append(value)
            }
            return values
        }

        /// Values of a tag of fractions.
        func fractions(_ tag: UInt16, count: Int) throws(CodecError) -> [Double]? {
            guard let field = fields[tag], field.count >= count else { return nil }
            var values: [Double] = []
            for i in 0..<count {
                if field.type == 5 || field.type == 10 {
                    let at = field.place + 8 * i
                    guard let top = try bytes.number(at: at, count: 4),
                        let bottom = try bytes.number(at: at + 4, count: 4), bottom != 0
                    else { return nil }
                    let isSigned = field.type == 10
                    func number(_ raw: UInt64) -> Double {
                        isSigned
                            ? Double(Int32(truncatingIfNeeded: raw)) : Double(UInt32(truncatingIfNeeded: raw))
                    }
                    values.append(number(top) / number(bottom))
                } else {
                    guard let value = try value(field, i) else { return nil }
                    values.append(Double(value))
                }
            }
            return values
        }

        /// The bytes of a field.
        func content(_ tag: UInt16, limit: Int) throws(CodecError) -> [UInt8]? {
            guard let field = fields[tag], field.bytes <= limit else { return nil }
            return try bytes.bytes(at: field.place, count: field.bytes)
        }
    }
#endif
