internal import MediaTypes

/// Where a track's samples lie (ISO/IEC 14496-12, 8.7), read from the output piece by piece.
struct SampleTable {
    /// `stsc`: samples of each chunk.
    var runs: Box?
    /// `stsz` or `stz2`: bytes of each sample.
    var sizes: Box?
    /// `stco` or `co64`: place of each chunk.
    var chunks: Box?

    /// Calls `body` with the place and length of every chunk, after `shift` bytes were added before the file.
    ///
    /// - Throws: `truncated` where one reaches beyond the end.
    func walkChunks(
        in output: any MediaOutput, shift: Int, _ body: (Int, Int) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let chunks, let runs, let sizes else {
            throw MediaError(.corrupt, "a track without a table of samples")
        }
        var places = try Entries(chunks, entrySize: chunks.type == "co64" ? 8 : 4, in: output)
        var run = try RunLengths(runs, in: output)
        var samples = try SampleSizes(sizes, in: output)
        var index = 0
        while let place = try places.next() {
            index += 1
            let count = try samples.take(try run.count(ofChunk: index))
            let (offset, overflow) = place.addingReportingOverflow(shift)
            guard !overflow, offset >= 0, count <= output.size, offset <= output.size - count else {
                throw MediaError(.truncated, "samples lie beyond the end of the file")
            }
            try body(offset, count)
        }
    }

    /// Adds to every chunk's place.
    func moveChunks(by shift: Int, in output: any MediaOutput) throws(MediaError) {
        guard shift > 0, let chunks else { return }
        let size = chunks.type == "co64" ? 8 : 4
        var left = try Entries(chunks, entrySize: size, in: output).count
        var offset = chunks.content + 8
        while left > 0 {
            let step = min(left, 8192)
            let old = try output.read(at: offset, count: step * size)
            var new: [UInt8] = []
            new.reserveCapacity(old.count)
            for start in stride(from: 0, to: old.count - size + 1, by: size) {
                let place = Bytes.bigEndian(old, at: start, size: size) + shift
                guard size == 8 || place <= UInt32.max else {
                    throw MediaError(.corrupt, "a chunk beyond 4 GiB")
                }
                new += Bytes.bigEndian(place, size: size)
            }
            try output.overwrite(at: offset, with: new)
            offset += step * size
            left -= step
        }
    }

    /// QuickTime writes composition offsets below zero where ISO asks for version 1 of the table.
    static func mendOffsets(_ box: Box, in output: any MediaOutput) throws(MediaError) {
        guard try output.number(in: box, at: 0, size: 1) == 0 else { return }
        var offsets = try Entries(box, entrySize: 8, in: output)
        while let entry = try offsets.next() {
            if entry & 0x8000_0000 != 0 { return try output.overwrite(box, at: 0, with: [1]) }
        }
    }
}

/// The entries of a table that begins with version, flags and their number.
struct Entries {
    private let output: any MediaOutput
    private let entrySize: Int
    private var offset: Int
    private(set) var count: Int
    private var piece: [UInt8] = []
    private var index = 0

    /// - Parameters:
    ///   - header: bytes before the number of entries.
    ///   - words: numbers that make an entry; each comes by itself.
    ///   - perByte: entries that share a byte, which then come together.
    init(
        _ box: Box, header: Int = 4, entrySize: Int, in output: any MediaOutput, words: Int = 1,
        perByte: Int = 1
    ) throws(MediaError) {
        self.output = output
        self.entrySize = entrySize / words
        let entries = try output.number(in: box, at: header, size: 4)
        count = (entries + perByte - 1) / perByte * words
        offset = box.content + header + 4
        guard count <= (box.end - offset) / self.entrySize else {
            throw MediaError(.corrupt, "\(box.type) says more entries than it has")
        }
    }

    /// The next entry as one number; nil behind the last.
    mutating func next() throws(MediaError) -> Int? {
        guard count > 0 else { return nil }
        if index >= piece.count {
            piece = try output.read(at: offset, count: min(count, 4096) * entrySize)
            offset += piece.count
            index = 0
            guard piece.count >= entrySize else { throw MediaError(.corrupt, "a table ends early") }
        }
        var value = 0
        for byte in piece[index..<(index + entrySize)] { value = value << 8 | Int(byte) }
        index += entrySize
        count -= 1
        return value
    }
}

/// How many samples each chunk has.
private struct RunLengths {
    private var entries: Entries
    private var perChunk = 0
    private var nextFirst: Int?
    private var nextCount = 0

    init(_ box: Box, in output: any MediaOutput) throws(MediaError) {
        // Twelve bytes: first chunk, samples per chunk, description. Read as three numbers.
        entries = try Entries(box, entrySize: 12, in: output, words: 3)
        try readAhead()
    }

    private mutating func readAhead() throws(MediaError) {
        guard let first = try entries.next() else {
            nextFirst = nil
            return
        }
        nextFirst = first
        nextCount = try entries.next() ?? 0
        _ = try entries.next()
    }

    mutating func count(ofChunk index: Int) throws(MediaError) -> Int {
        while let first = nextFirst, first <= index {
            guard first == index else { throw MediaError(.corrupt, "stsc is not in order") }
            perChunk = nextCount
            try readAhead()
        }
        return perChunk
    }
}

/// How many bytes each sample has.
private struct SampleSizes {
    private var entries: Entries?
    private let fixed: Int
    private var left: Int
    private let isNibbles: Bool
    private var secondNibble: Int?

    init(_ box: Box, in output: any MediaOutput) throws(MediaError) {
        left = try output.number(in: box, at: 8, size: 4)
        if box.type == "stsz" {
            fixed = try output.number(in: box, at: 4, size: 4)
            isNibbles = false
            entries = fixed == 0 ? try Entries(box, header: 8, entrySize: 4, in: output) : nil
        } else {
            let bits = try output.number(in: box, at: 7, size: 1)
            guard bits == 4 || bits == 8 || bits == 16 else {
                throw MediaError(.corrupt, "stz2 of \(bits) bits")
            }
            fixed = 0
            isNibbles = bits == 4
            entries =
                isNibbles
                ? try Entries(box, header: 8, entrySize: 1, in: output, perByte: 2)
                : try Entries(box, header: 8, entrySize: bits / 8, in: output)
        }
    }

    /// The bytes of the next `count` samples together; a last chunk may be short.
    mutating func take(_ count: Int) throws(MediaError) -> Int {
        let count = min(count, left)
        left -= count
        guard entries != nil else {
            let (bytes, overflow) = count.multipliedReportingOverflow(by: fixed)
            guard !overflow else { throw MediaError(.corrupt, "a chunk without end") }
            return bytes
        }
        var bytes = 0
        // Each size is at most 32 bits and there are at most 2^32: no overflow.
        for _ in 0..<count { bytes += try next() }
        return bytes
    }

    private mutating func next() throws(MediaError) -> Int {
        if let nibble = secondNibble.take() { return nibble }
        let value = try entries?.next() ?? 0
        guard isNibbles else { return value }
        secondNibble = value & 15
        return value >> 4
    }
}
