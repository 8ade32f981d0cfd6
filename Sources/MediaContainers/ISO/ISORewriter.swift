package import MediaTypes

/// MP4, M4V, M4A and what becomes one of them: QuickTime movies and 3GP.
///
/// The file is written as it comes. When it is whole, boxes that hold metadata become free ones of the same size
/// and zeroed, so no media moves; only before a QuickTime movie without `ftyp` one is added, and chunk offsets
/// grow by its size.
package struct ISORewriter: MediaRewriter {
    private let source: MediaFormat
    private var head: [UInt8] = []
    private var hasBegun = false
    /// Bytes added before everything.
    private var shift = 0

    package init(_ source: MediaFormat) { self.source = source }

    package mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        var index = 0
        while !hasBegun, index < bytes.count {
            head.append(bytes[index])
            index += 1
            if head.count == 8 { try begin(into: output) }
        }
        if index < bytes.count { try output.append(bytes.extracting(index..<bytes.count)) }
    }

    private mutating func begin(into output: any MediaOutput) throws(MediaError) {
        hasBegun = true
        if source == .mov, !head.suffix(4).elementsEqual(FourCC("ftyp").bytes) {
            shift = FileType.size
            try output.append(FileType.box(.mp4, size: shift))
        }
        try output.append(head)
    }

    package mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        guard hasBegun else { throw MediaError(.truncated, "the input ends before its first box") }
        var editor = MovieEditor(output, source: source, shift: shift)
        return try editor.run()
    }
}

/// Edits a whole file in place.
struct MovieEditor {
    let output: any MediaOutput
    let source: MediaFormat
    let shift: Int
    var reader: BoxReader
    var media: RewrittenMedia
    /// Bytes that samples of dropped tracks may still cover: more than the file has is an attempt to keep us busy.
    var clearable: Int
    private(set) var fragments: [Box] = []
    private var movie: Box?
    private var fileType: Box?
    private var firstMedia: Int?

    init(_ output: any MediaOutput, source: MediaFormat, shift: Int) {
        self.output = output
        self.source = source
        self.shift = shift
        reader = BoxReader(output)
        clearable = output.size
        media = RewrittenMedia(format: source)
    }

    /// Whether the container changes, which only some codecs can follow.
    var isRewrap: Bool { source == .mov || source == .threeGP }

    mutating func run() throws(MediaError) -> RewrittenMedia {
        try takeTopLevel()
        guard let movie else { throw MediaError(.corrupt, "there is no moov") }
        guard let firstMedia else { throw MediaError(.corrupt, "there is no media data") }
        media.isIndexLast = movie.start > firstMedia && fragments.isEmpty
        let tracks = try takeMovie(movie)
        media.format = try format(of: tracks)
        for fragment in fragments { try takeFragment(fragment) }
        if isRewrap {
            media.isRewrapped = true
            try writeFileType()
        }
        return media
    }

    // MARK: Top level

    private mutating func takeTopLevel() throws(MediaError) {
        var offset = 0
        while offset < output.size {
            switch try reader.look(at: offset, before: output.size) {
            case .box(let box):
                try take(box)
                offset = box.end
            case .cut(let type):
                // What is cut off may be something nobody needs; the samples tell whether they are all there.
                guard movie != nil, firstMedia != nil, !Self.needed.contains(type) else {
                    throw MediaError(.truncated, "\(type) ends early")
                }
                return try dropTail(from: offset)
            case .junk:
                guard movie != nil, firstMedia != nil else {
                    throw MediaError(
                        offset + 16 > output.size ? .truncated : .corrupt, "no box where one should begin")
                }
                return try dropTail(from: offset)
            }
        }
    }

    private static let needed: Set<FourCC> = ["moov", "mdat", "moof", "ftyp"]

    private mutating func dropTail(from offset: Int) throws(MediaError) {
        media.hadTrailingData = true
        try output.truncate(to: offset)
    }

    private mutating func take(_ box: Box) throws(MediaError) {
        switch box.type {
        case "ftyp" where fileType == nil: fileType = box
        case "moov" where movie == nil: movie = box
        case "mdat": firstMedia = firstMedia ?? box.start
        case "moof": fragments.append(box)
        case "styp", "sidx", "ssix", "mfra", "pdin": break
        // What is free may still hold what somebody's editor only meant to remove.
        case "free", "skip", "wide": try neutralise(box, isMetadata: false)
        default: try neutralise(box)
        }
    }

    mutating func neutralise(_ box: Box, isMetadata: Bool = true) throws(MediaError) {
        if isMetadata { media.hadMetadata = true }
        try output.neutralise(box)
    }

    /// Neutralises what is not in a list, and answers the rest.
    mutating func keep(
        _ types: Set<FourCC>, of boxes: [Box], neutral: Set<FourCC> = ["free", "skip"]
    ) throws(MediaError) -> [Box] {
        var kept: [Box] = []
        for box in boxes {
            if types.contains(box.type) {
                kept.append(box)
            } else {
                try neutralise(box, isMetadata: !neutral.contains(box.type))
            }
        }
        return kept
    }

    // MARK: What it is

    /// Sound alone is M4A, whatever the brand says; with pictures it is not.
    private func format(of tracks: [Track]) throws(MediaError) -> MediaFormat {
        let hasPictures = tracks.contains { $0.handler == "vide" || $0.handler == "auxv" }
        guard hasPictures || tracks.contains(where: { $0.handler == "soun" }) else {
            throw MediaError(.unsupportedVariant, "neither sound nor pictures in it")
        }
        let format: MediaFormat = !hasPictures ? .m4a : source == .m4v ? .m4v : .mp4
        try output.become(format)
        return format
    }

    private func writeFileType() throws(MediaError) {
        if shift > 0 {
            try output.overwrite(at: 0, with: FileType.box(media.format, size: shift))
            return
        }
        guard let fileType, fileType.headerSize == 8, fileType.contentSize >= 8, fileType.contentSize <= 4096
        else { throw MediaError(.corrupt, "an ftyp of odd size") }
        try output.overwrite(
            at: fileType.start, with: FileType.box(media.format, size: fileType.end - fileType.start))
    }

    // MARK: Fragments

    /// A fragment's own metadata goes; where its samples lie is relative to it, or to the start of the file.
    private mutating func takeFragment(_ fragment: Box) throws(MediaError) {
        guard shift == 0 else { throw MediaError(.unsupportedVariant, "a QuickTime movie in fragments") }
        for box in try keep(["mfhd", "traf"], of: reader.children(of: fragment)) where box.type == "traf" {
            _ = try keep(
                ["tfhd", "tfdt", "trun", "sdtp", "sbgp", "sgpd", "subs", "saiz", "saio"],
                of: reader.children(of: box))
        }
    }
}
