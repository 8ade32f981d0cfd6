internal import MediaTypes

/// A track of the movie: where its parts lie.
struct Track {
    let box: Box
    var id = 0
    var handler: FourCC = "    "
    /// Tracks this one refers to as its chapters.
    var chapters: [Int] = []
    var references: [Int] = []
    var referenceBox: Box?
    var table = SampleTable()
    var descriptions: Box?
}

// The movie's header and tracks (ISO/IEC 14496-12, 8.2 to 8.8). What is not in one of the lists is metadata, or
// QuickTime's own.
extension MovieEditor {
    /// Edits `moov` and answers the tracks that stay.
    mutating func takeMovie(_ movie: Box) throws(MediaError) -> [Track] {
        let boxes = try reader.children(of: movie)
        if boxes.contains(where: { $0.type == "cmov" }) {
            throw MediaError(.unsupportedVariant, "a compressed movie header")
        }
        var tracks: [Track] = []
        for box in try keep(["mvhd", "trak", "mvex", "iods"], of: boxes) {
            if box.type == "mvhd" { try takeHeader(box, lengths: (16, 28), predefined: (76, 24)) }
            if box.type == "trak" { tracks.append(try takeTrack(box)) }
            if box.type == "mvex" { _ = try keep(["mehd", "trex", "leva"], of: reader.children(of: box)) }
        }
        return try select(tracks)
    }

    /// Clears the times of creation and change, and what QuickTime keeps where others reserve.
    private func takeHeader(
        _ box: Box, lengths: (Int, Int), predefined: (Int, Int)? = nil
    ) throws(MediaError) {
        let version = try output.number(in: box, at: 0, size: 1)
        guard version < 2, box.contentSize >= (version == 0 ? lengths.0 : lengths.1) else {
            throw MediaError(.corrupt, "\(box.type) of unknown form")
        }
        try output.overwrite(box, at: 4, with: [UInt8](repeating: 0, count: version == 0 ? 8 : 16))
        if let predefined, isRewrap {
            let offset = predefined.0 + (version == 0 ? 0 : 12)
            try output.overwrite(box, at: offset, with: [UInt8](repeating: 0, count: predefined.1))
        }
    }

    private mutating func takeTrack(_ box: Box) throws(MediaError) -> Track {
        var track = Track(box: box)
        for box in try keep(["tkhd", "edts", "mdia", "tref"], of: reader.children(of: box)) {
            switch box.type {
            case "tkhd":
                try takeHeader(box, lengths: (16, 24))
                let version = try output.number(in: box, at: 0, size: 1)
                track.id = try output.number(in: box, at: version == 0 ? 12 : 20, size: 4)
            case "edts": _ = try keep(["elst"], of: reader.children(of: box))
            case "tref":
                track.referenceBox = box
                for reference in try reader.children(of: box, limit: 64) {
                    let ids = try output.content(of: reference, limit: 4096)
                    let list = stride(from: 0, to: ids.count - 3, by: 4).map {
                        Bytes.bigEndian(ids, at: $0, size: 4)
                    }
                    track.references += list
                    if reference.type == "chap" { track.chapters += list }
                }
            default: try takeMedia(box, &track)
            }
        }
        return track
    }

    private mutating func takeMedia(_ media: Box, _ track: inout Track) throws(MediaError) {
        for box in try keep(["mdhd", "hdlr", "minf", "elng"], of: reader.children(of: media)) {
            switch box.type {
            case "mdhd":
                try takeHeader(box, lengths: (20, 32))
                if isRewrap { try mendLanguage(box) }
            case "hdlr": try takeHandler(box, &track)
            case "minf": try takeInformation(box, &track)
            default: break
            }
        }
    }

    /// Before ISO's three letters QuickTime had numbers, all below 0x400; `und` says that nobody knows.
    private func mendLanguage(_ box: Box) throws(MediaError) {
        let version = try output.number(in: box, at: 0, size: 1)
        let offset = version == 0 ? 20 : 32
        guard box.contentSize >= offset + 4 else { throw MediaError(.corrupt, "mdhd is too short") }
        let language = try output.number(in: box, at: offset, size: 2)
        if language < 0x400 || language == 0x7FFF {
            try output.overwrite(box, at: offset, with: [0x55, 0xC4])
        }
        try output.overwrite(box, at: offset + 2, with: [0, 0])
    }

    /// Keeps the handler and drops its name, which programs fill with their own.
    private mutating func takeHandler(_ box: Box, _ track: inout Track) throws(MediaError) {
        let head = try output.content(of: box, limit: 12)
        guard head.count == 12 else { throw MediaError(.corrupt, "hdlr is too short") }
        track.handler = FourCC(UInt32(Bytes.bigEndian(head, at: 8, size: 4)))
        try output.overwrite(box, at: 4, with: [0, 0, 0, 0])
        try output.clear(at: box.content + 12, count: box.contentSize - 12)
    }

    private mutating func takeInformation(_ information: Box, _ track: inout Track) throws(MediaError) {
        let kept: Set<FourCC> =
            isRewrap
            ? ["vmhd", "smhd", "sthd", "nmhd", "dinf", "stbl"]
            : ["vmhd", "smhd", "hmhd", "sthd", "nmhd", "gmhd", "dinf", "stbl"]
        for box in try keep(kept, of: reader.children(of: information), neutral: ["free", "skip", "hdlr"]) {
            switch box.type {
            case "vmhd" where isRewrap:
                try output.overwrite(box, at: 4, with: [UInt8](repeating: 0, count: 8))
            case "dinf": try takeData(box)
            case "stbl": try takeTable(box, &track)
            default: break
            }
        }
    }

    /// Media must lie in the file itself: nobody fetches what a stranger's file names.
    private mutating func takeData(_ information: Box) throws(MediaError) {
        for list in try keep(["dref"], of: reader.children(of: information)) {
            for entry in try reader.children(of: list, skip: 8, limit: 64) {
                guard try output.number(in: entry, at: 3, size: 1) & 1 == 1 else {
                    throw MediaError(.unsupportedVariant, "media in another file")
                }
                if isRewrap { try output.overwrite(at: entry.start + 4, with: FourCC("url ").bytes) }
                try output.clear(at: entry.content + 4, count: entry.contentSize - 4)
            }
        }
    }

    private mutating func takeTable(_ table: Box, _ track: inout Track) throws(MediaError) {
        let kept: Set<FourCC> = [
            "stsd", "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "stsh", "sdtp",
            "sbgp",
            "sgpd", "subs", "padb", "stdp",
        ]
        for box in try keep(kept, of: reader.children(of: table)) {
            switch box.type {
            case "stsd": track.descriptions = box
            case "stsc": track.table.runs = box
            case "stsz", "stz2": track.table.sizes = box
            case "stco", "co64": track.table.chunks = box
            case "ctts" where isRewrap: try SampleTable.mendOffsets(box, in: output)
            default: break
            }
        }
    }

    // MARK: Which stay

    /// Drops tracks that are neither heard nor seen, with their samples: timed metadata holds places and names.
    private mutating func select(_ tracks: [Track]) throws(MediaError) -> [Track] {
        let chapters = Set(tracks.flatMap(\.chapters))
        let handlers: Set<FourCC> =
            source == .mov
            ? ["vide", "soun"] : ["vide", "soun", "auxv", "text", "sbtl", "subt", "subp", "clcp"]
        var kept: [Track] = []
        var dropped: Set<Int> = []
        for track in tracks {
            if handlers.contains(track.handler), !chapters.contains(track.id) {
                kept.append(track)
                continue
            }
            guard fragments.isEmpty else {
                throw MediaError(.unsupportedVariant, "timed metadata (\(track.handler)) in fragments")
            }
            dropped.insert(track.id)
            try track.table.walkChunks(in: output, shift: shift) { (offset, count) throws(MediaError) in
                clearable -= count
                guard clearable >= 0 else { throw MediaError(.corrupt, "chunks lie upon each other") }
                try output.clear(at: offset, count: count)
            }
            try neutralise(track.box)
        }
        for track in kept {
            if let box = track.referenceBox, isRewrap || track.references.contains(where: dropped.contains) {
                try neutralise(box, isMetadata: false)
            }
            try finish(track)
        }
        return kept
    }

    private mutating func finish(_ track: Track) throws(MediaError) {
        guard let descriptions = track.descriptions else {
            throw MediaError(.corrupt, "a track without stsd")
        }
        try SampleDescriptions(descriptions, handler: track.handler, source: source).rewrite(in: output)
        try track.table.walkChunks(in: output, shift: shift) { (_, _) throws(MediaError) in }
        try track.table.moveChunks(by: shift, in: output)
    }
}
