#if TIFF
    /// The directories of a file that matter: which one holds the picture, and what else there is.
    struct TIFFPages {
        /// The page to show.
        let picture: TIFFDirectory
        /// Whether other full pages follow it.
        let isMultiPage: Bool
        /// A directory describes the picture.
        let hasMetadata: Bool
        /// Of a camera's raw file: the directories that may hold a JPEG, the first one before all others.
        let raw: [TIFFDirectory]?

        /// Directories looked at, in chains and below them: far more than any camera or scanner nests.
        private static let limit = 64

        init(_ bytes: TIFFBytes) throws(CodecError) {
            var walk = Walk(bytes)
            let first = try TIFFDirectory(bytes, at: bytes.firstDirectory)
            var chain = [first]
            walk.seen.insert(first.offset)
            while let next = try walk.directory(at: chain[chain.count - 1].next) { chain.append(next) }
            let all = try walk.withChildren(chain)
            let (isCanonRaw, hasSensorData) = (try Self.isCanonRaw(bytes), try Self.isRaw(all))
            raw = bytes.hasRawMagic || isCanonRaw || hasSensorData ? all : nil
            // A page that says it is another's thumbnail or mask is one only beside that other.
            var full: [TIFFDirectory] = []
            for directory in chain where try !Self.isReduced(directory) { full.append(directory) }
            if full.isEmpty {
                for directory in all where try !Self.isReduced(directory) { full.append(directory) }
            }
            picture = full.first ?? first
            isMultiPage = full.count > 1
            hasMetadata = all.contains { $0.hasMetadata }
        }

        private struct Walk {
            let bytes: TIFFBytes
            var seen: Set<Int> = []

            init(_ bytes: TIFFBytes) { self.bytes = bytes }

            /// The directory at `offset`, unless it was there before or is none.
            mutating func directory(at offset: Int) throws(CodecError) -> TIFFDirectory? {
                guard offset > 0, offset < bytes.size, seen.count < limit, seen.insert(offset).inserted else {
                    return nil
                }
                do {
                    return try TIFFDirectory(bytes, at: offset)
                } catch {
                    // The pages that can be read will do.
                    if error.kind == .unreadable { throw error }
                    return nil
                }
            }

            /// Each directory followed by those below it, and by those below them.
            mutating func withChildren(
                _ directories: [TIFFDirectory], depth: Int = 0
            ) throws(CodecError) -> [TIFFDirectory] {
                var all: [TIFFDirectory] = []
                for directory in directories {
                    all.append(directory)
                    guard depth < 2 else { continue }
                    var children: [TIFFDirectory] = []
                    for offset in try directory.values(TIFFTag.subDirectories, limit: limit) ?? [] {
                        if let child = try self.directory(at: offset) { children.append(child) }
                    }
                    all += try withChildren(children, depth: depth + 1)
                }
                return all
            }
        }

        /// Whether a directory holds a thumbnail or a mask of another's picture, or nothing.
        private static func isReduced(_ directory: TIFFDirectory) throws(CodecError) -> Bool {
            guard directory.has(TIFFTag.width), directory.has(TIFFTag.height) else { return true }
            if let kind = try directory.value(TIFFTag.newSubfileType) { return kind & 5 != 0 }
            return try directory.value(TIFFTag.subfileType) == 2
        }

        /// CR2 says so behind the header.
        private static func isCanonRaw(_ bytes: TIFFBytes) throws(CodecError) -> Bool {
            try bytes.bytes(at: 8, count: 3) == [0x43, 0x52, 0x02]
        }

        /// Whether a directory holds samples of a sensor: by the photometric interpretations of TIFF/EP and DNG, or
        /// by the compressions of Sony, Nikon, Kodak, Pentax and Samsung.
        private static func isRaw(_ directories: [TIFFDirectory]) throws(CodecError) -> Bool {
            for directory in directories {
                if directory.has(TIFFTag.dngVersion) { return true }
                let photometric = try directory.value(TIFFTag.photometric) ?? 0
                let compression = try directory.value(TIFFTag.compression) ?? 1
                if photometric == 32_803 || photometric == 34_892 { return true }
                if [32_767, 32_769, 32_770, 34_713, 65_000, 65_535].contains(compression) { return true }
            }
            return false
        }
    }
#endif
