internal import Codecs
internal import JPEGCore
internal import Pixels

/// Decides from a header alone whether a picture may be decoded, at which scale, by which route.
struct Admission {
    /// One output to make.
    struct Target {
        let index: Int
        let profile: Profile
        let maxBytes: Int
        /// The picture that is made, upright: the output, or what the output is cut from.
        let upright: Placement
        /// Size of the output, upright.
        let size: PixelSize
        /// The picture that is made, as it lies in the stored one.
        let placement: Placement
        /// Which of `placements` that is.
        var picture = 0
        /// Whether the source's own data would do, if it fits the budget.
        let mayPassLossless: Bool

        /// Whether the output is a part of the picture that is made.
        var isCut: Bool { size != upright.size }
    }

    enum Route: Hashable {
        /// Decoded while the bytes arrive.
        case push
        /// Decoded when all bytes are there, from a place that can be read anywhere.
        case spool
    }

    let targets: [Target]
    /// The pictures to make: boxes that come to the same one share it.
    let placements: [Placement]
    /// The N of N/`steps` of the header to decode at.
    let numerator: Int
    let route: Route
    /// Bytes the job will need, all told.
    let need: Int
    private let stages: Stages
    let orientation: Orientation

    /// Reduction left to the real kernel: below 1.9 the codec's crude scaling would show (measured: METHODS 2).
    static let headroom = 1.9

    /// Bytes up to which a copy of the source's own data may become an output; nil when it may not.
    var losslessLimit: Int? { targets.filter(\.mayPassLossless).map(\.maxBytes).max() }

    /// - Throws: `too-many-pixels`.
    init(_ header: ImageHeader, profiles: [Profile], options: PreparationOptions) throws(PrepError) {
        let (pixels, overflow) = header.size.width.multipliedReportingOverflow(by: header.size.height)
        guard !overflow, pixels <= options.limits.pixels else {
            throw PrepError(
                .tooManyPixels, .admission,
                "\(header.size.width) x \(header.size.height) is more than --max-pixels allows; raise it if you trust the input",
                detail: "limit \(options.limits.pixels)")
        }
        orientation = header.orientation
        var targets = profiles.enumerated().map { Self.target($0.offset, $0.element, header, options) }
        var placements: [Placement] = []
        for i in targets.indices {
            let known = placements.firstIndex(of: targets[i].placement)
            targets[i].picture = known ?? placements.count
            if known == nil { placements.append(targets[i].placement) }
        }
        self.targets = targets
        self.placements = placements
        numerator = Self.numerator(header, targets, options)
        route = header.needsWholeInput ? .spool : .push
        stages = Self.stages(header, targets, numerator, inputLimit: options.limits.inputBytes)
        need = stages.need(beyondHeader: 0)
    }

    /// Bytes the job will need when its decoder needs so many beyond what the header told.
    func need(beyondHeader more: Int) -> Int { stages.need(beyondHeader: more) }

    /// The picture of a target, which goes from `pictures` when no later target shows it.
    func picture(of target: Target, from pictures: inout [Bitmap]) -> Bitmap? {
        guard pictures.indices.contains(target.picture) else { return nil }
        let picture = pictures[target.picture]
        let isLast = !targets.contains { $0.picture == target.picture && $0.index > target.index }
        if isLast { pictures[target.picture] = .empty }
        return picture
    }

    /// - Throws: `memory-limit` when a job that needs so much is refused.
    static func check(need: Int, _ limits: ResourceLimits) throws(PrepError) {
        guard need <= limits.memory else {
            throw PrepError(
                .memoryLimit, .admission,
                "decoding needs \(need) bytes of memory, more than --memory-limit allows",
                detail: "limit \(limits.memory)")
        }
    }

    private static func target(
        _ index: Int, _ profile: Profile, _ header: ImageHeader, _ options: PreparationOptions
    ) -> Target {
        let edge = max(1, options.maxEdge ?? .max)
        let box = PixelSize(min(profile.width, edge), min(profile.height, edge))
        let upright = header.orientation.turned(header.size)
        let placement: Placement
        let size: PixelSize
        switch profile.fit {
        case .inside:
            placement = .inside(box, of: upright)
            size = placement.size
        case .fill:
            let filling = Placement.filling(box, of: upright)
            (placement, size) = (filling.cover, filling.size)
        }
        return Target(
            index: index, profile: profile, maxBytes: options.maxBytes ?? profile.maxBytes,
            upright: placement, size: size,
            placement: placement.stored(header.orientation, source: header.size),
            mayPassLossless: header.mayPassLossless && size == upright)
    }

    /// The smallest scale of the codec that leaves every target its headroom, or the largest that memory allows.
    private static func numerator(
        _ header: ImageHeader, _ targets: [Target], _ options: PreparationOptions
    ) -> Int {
        let enough = header.numerators.filter { n in
            let isMeans = n == 1 && header.isProgressive
            let headroom = isMeans && options.acceptsMeans ? 1 : headroom
            return targets.allSatisfy { target in
                let region = header.region(of: target.placement, numerator: n)
                let size = target.placement.size
                return region.width >= headroom * Double(size.width)
                    && region.height >= headroom * Double(size.height)
            }
        }
        let detailed = enough.last {
            header.prefersDetail
                && stages(header, targets, $0, inputLimit: options.limits.inputBytes)
                    .need(beyondHeader: 0) <= options.limits.memory
        }
        return detailed ?? enough.first ?? header.steps
    }

    /// What a job holds: decoder, pipeline and scalers together, then the bitmaps with one encoder at a time; and
    /// something all along.
    private struct Stages {
        let decoding: Int
        let encoding: Int
        let always: Int

        func need(beyondHeader more: Int) -> Int {
            let (sum, overflow) = max(decoding + more, encoding).addingReportingOverflow(always)
            return overflow ? .max : sum
        }
    }

    private static func stages(
        _ header: ImageHeader, _ targets: [Target], _ numerator: Int, inputLimit: Int
    ) -> Stages {
        var decoding =
            header.codecNeed(numerator) + header.colour.memoryNeed
            + RowPipeline.memoryNeed(
                layout: header.scaledLayout, width: header.rowSize(numerator: numerator).width,
                isConverted: header.colour.rows != nil,
                reduction: targets.map {
                    header.region(of: $0.placement, numerator: numerator).width
                        / Double($0.placement.size.width)
                }.max() ?? 1)
        var encoding = 0
        var bitmaps = 0
        var copy = 0
        for target in targets {
            let size = target.placement.size
            let region = header.region(of: target.placement, numerator: numerator)
            let isFirst = !targets.contains { $0.picture == target.picture && $0.index < target.index }
            if isFirst {
                decoding += RowScaler.memoryNeed(
                    source: region, size: size, channels: 3, isInterlaced: header.isInterlaced)
                bitmaps += size.area * 3
            }
            var fitting = OutputFitter.memoryNeed(size: target.size, maxBytes: target.maxBytes)
            if target.isCut { fitting = max(fitting + target.size.area * 3, SalientPart.memoryNeed(target)) }
            encoding = max(encoding, fitting)
            // The copy is no larger than the input.
            if target.mayPassLossless { copy = max(copy, min(target.maxBytes, inputLimit)) }
        }
        let (always, overflow) = copy.addingReportingOverflow(2 * SourceReader.chunkSize)
        return Stages(
            decoding: decoding, encoding: bitmaps + encoding, always: overflow ? .max : always)
    }
}
