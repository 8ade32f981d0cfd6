#if GIF
    internal import Pixels

    /// Follows a GIF's blocks while its bytes pass: where the first image lies, how it is shown, and what else there is.
    struct GIFScan {
        enum Step {
            /// All given bytes are used up.
            case needsInput
            /// The first image's codes follow.
            case image(GIFPlan)
            /// The trailer was there, or what is no block.
            case over
        }

        private enum Stage { case before, image, after }

        private var walk = GIFWalk()
        private var stage = Stage.before
        private var label: UInt8 = 0
        /// The first block of an extension, as far as it is needed.
        private var collected: [UInt8] = []
        private var transparent: Int?
        private var hasProfile = false
        /// How the first image is shown, once it was found.
        private(set) var plan: GIFPlan?
        private(set) var place = GIFPlace()
        /// Whether any of the first image's codes were there.
        private(set) var hasCodes = false
        private(set) var isOver = false
        private(set) var notes = DecodeNotes()
        /// Bytes looked at.
        private(set) var position = 0

        private static let collectLimit = 11
        private static let profileName = Array("ICCRGBG1".utf8)

        /// Whether the first image's blocks were all there.
        var isImageWhole: Bool { stage == .after }

        /// Looks at bytes from `at` on, which moves.
        mutating func next(_ bytes: Span<UInt8>, at: inout Int) throws(CodecError) -> Step {
            while !isOver {
                let start = at
                let event = walk.next(bytes, at: &at)
                position += at - start
                switch event {
                case .needsInput: return .needsInput
                case .screen: break
                case .extension(let label):
                    self.label = label
                    collected = []
                    if label == 0xFE { notes.hasMetadata = true }
                case .image:
                    label = 0
                    if plan != nil { notes.isAnimated = true } else { return .image(try beginImage()) }
                case .data(let range):
                    if stage == .image { hasCodes = true } else { collect(bytes.extracting(range)) }
                case .blockEnd: endBlock()
                case .end: try end("the file ends before an image")
                case .malformed(let byte):
                    at -= 1
                    position -= 1
                    try end("a block that begins with \(byte)")
                }
            }
            return .over
        }

        private mutating func beginImage() throws(CodecError) -> GIFPlan {
            let plan = try GIFPlan(walk, transparent: transparent, hasProfile: hasProfile)
            self.plan = plan
            place.indexBits = position - 1
            place.image = position - 1 - walk.imageTable.count - GIFWalk.descriptorBytes - 1
            stage = .image
            return plan
        }

        private mutating func end(_ why: String) throws(CodecError) {
            guard stage == .after else { throw CodecError(.corrupt, why) }
            isOver = true
        }

        private mutating func collect(_ data: Span<UInt8>) {
            for i in data.indices where collected.count < Self.collectLimit { collected.append(data[i]) }
        }

        private mutating func endBlock() {
            if stage == .image { stage = .after }
            switch label {
            case 0xF9 where stage == .before && collected.count >= 4:
                transparent = collected[0] & 1 == 1 ? Int(collected[3]) : nil
            case 0xFF:
                if collected.starts(with: Array("XMP Data".utf8)) { notes.hasMetadata = true }
                if collected.starts(with: Self.profileName) { hasProfile = true }
            default: break
            }
        }

        /// What a second scan needs of the bytes up to the first image's codes, without what may be long.
        var head: [UInt8] {
            var head = Array("GIF89a".utf8) + Self.little(walk.width) + Self.little(walk.height)
            head += [Self.flags(walk.screenTable), UInt8(truncatingIfNeeded: walk.background), 0]
            head += walk.screenTable
            if let transparent {
                head += [0x21, 0xF9, 4, 1, 0, 0, UInt8(truncatingIfNeeded: transparent), 0]
            }
            if hasProfile {
                head += [0x21, 0xFF, UInt8(Self.profileName.count)] + Self.profileName + [0]
            }
            let frame = walk.frame
            head += [0x2C] + [frame.x, frame.y, frame.width, frame.height].flatMap(Self.little)
            head += [Self.flags(walk.imageTable) | (frame.isInterlaced ? 0x40 : 0)] + walk.imageTable
            return head + [UInt8(truncatingIfNeeded: frame.codeSize)]
        }

        private static func little(_ number: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        }

        /// The field that announces a table of so many bytes: 6, 12, ..., 768.
        private static func flags(_ table: [UInt8]) -> UInt8 {
            table.isEmpty ? 0 : 0x80 | UInt8(truncatingIfNeeded: (table.count / 6).trailingZeroBitCount)
        }
    }
#endif
