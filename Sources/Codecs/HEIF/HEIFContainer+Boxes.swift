#if HEIF
    internal import MediaTypes

    // The boxes that describe items (ISO/IEC 14496-12, 8.11).
    extension HEIFContainer {
        /// Takes the content of a box of `meta`; of two of a type the first is believed.
        mutating func read(_ type: FourCC, _ content: BoxBytes) throws(CodecError) {
            var content = content
            switch type {
            case "hdlr": try readHandler(&content)
            case "pitm" where primary == nil:
                let (version, _) = try content.versionAndFlags()
                primary = try content.number(version == 0 ? 2 : 4)
            case "iinf" where items.isEmpty: try readItemInfo(&content)
            case "iloc" where locations.isEmpty: try readLocations(&content)
            case "iref" where references.isEmpty: try readReferences(&content)
            case "iprp" where properties.isEmpty: try readProperties(content)
            default: break
            }
        }

        private func readHandler(_ content: inout BoxBytes) throws(CodecError) {
            try content.skip(8)
            let handler = try content.code()
            guard handler == "pict" else {
                throw CodecError(.unsupportedVariant, "items of the kind \(handler)")
            }
        }

        private mutating func readItemInfo(_ content: inout BoxBytes) throws(CodecError) {
            let (version, _) = try content.versionAndFlags()
            // The boxes tell how many there are; the count only repeats it.
            try content.skip(version == 0 ? 2 : 4)
            while let (type, entry) = try content.box() {
                guard type == "infe" else { continue }
                guard items.count < Self.most else { throw CodecError(.corrupt, "too many items") }
                try readItemInfoEntry(entry)
            }
        }

        private mutating func readItemInfoEntry(_ entry: BoxBytes) throws(CodecError) {
            var entry = entry
            let (version, _) = try entry.versionAndFlags()
            // Earlier ones are of items without a type, so of no pictures.
            guard version == 2 || version == 3 else { return }
            let id = try entry.number(version == 2 ? 2 : 4)
            let isProtected = try entry.number(2) != 0
            let item = Item(type: try entry.code(), isProtected: isProtected)
            if items[id] == nil { items[id] = item }
        }

        private mutating func readLocations(_ content: inout BoxBytes) throws(CodecError) {
            let (version, _) = try content.versionAndFlags()
            guard version <= 2 else { throw CodecError(.unsupportedVariant, "iloc version \(version)") }
            let sizes = try content.number(2)
            let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
            let (baseSize, indexSize) = (sizes >> 4 & 15, version > 0 ? sizes & 15 : 0)
            guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) }) else {
                throw CodecError(.corrupt, "fields of odd sizes in iloc")
            }
            let count = try content.number(version < 2 ? 2 : 4)
            guard count <= Self.most else { throw CodecError(.corrupt, "too many items") }
            for _ in 0..<count {
                let id = try content.number(version < 2 ? 2 : 4)
                let method = version > 0 ? try content.number(2) & 15 : 0
                let isElsewhere = try content.number(2) != 0
                let base = try content.number(baseSize)
                let parts = try content.number(2)
                let partSize = indexSize + offsetSize + lengthSize
                guard partSize > 0 ? parts <= content.count / partSize : parts <= 1 else {
                    throw CodecError(.corrupt, "an item of more parts than are listed")
                }
                let location = Location(
                    method: method, isElsewhere: isElsewhere,
                    parts: try Self.parts(&content, parts, base, (indexSize, offsetSize, lengthSize)))
                if locations[id] == nil { locations[id] = location }
            }
        }

        private static func parts(
            _ content: inout BoxBytes, _ count: Int, _ base: Int,
            _ sizes: (index: Int, offset: Int, length: Int)
        ) throws(CodecError) -> [Location.Part] {
            var parts: [Location.Part] = []
            parts.reserveCapacity(count)
            for _ in 0..<count {
                try content.skip(sizes.index)
                let (offset, overflow) = base.addingReportingOverflow(try content.number(sizes.offset))
                guard !overflow else { throw CodecError(.corrupt, "an offset beyond 2^63") }
                parts.append(.init(offset: offset, length: try content.number(sizes.length)))
            }
            return parts
        }

        private mutating func readReferences(_ content: inout BoxBytes) throws(CodecError) {
            let (version, _) = try content.versionAndFlags()
            let idSize = version == 0 ? 2 : 4
            while let (type, box) = try content.box() {
                var reference = box
                guard references.count < Self.most else { throw CodecError(.corrupt, "too many references") }
                let from = try reference.number(idSize)
                let count = try reference.number(2)
                guard count <= reference.count / idSize else {
                    throw CodecError(.corrupt, "a reference to more items than are listed")
                }
                var to: [Int] = []
                to.reserveCapacity(count)
                for _ in 0..<count { to.append(try reference.number(idSize)) }
                references.append(Reference(type: type, from: from, to: to))
            }
        }

        private mutating func readProperties(_ content: BoxBytes) throws(CodecError) {
            var content = content
            while let (type, box) = try content.box() {
                var box = box
                switch type {
                case "ipco" where properties.isEmpty:
                    while let (type, property) = try box.box() {
                        guard properties.count < Self.most else {
                            throw CodecError(.corrupt, "too many properties")
                        }
                        properties.append(try HEIFProperty(type, property))
                    }
                case "ipma": try readAssociations(&box)
                default: break
                }
            }
        }

        private mutating func readAssociations(_ content: inout BoxBytes) throws(CodecError) {
            let (version, flags) = try content.versionAndFlags()
            let count = try content.number(4)
            let indexSize = flags & 1 == 1 ? 2 : 1
            guard count <= Self.most else { throw CodecError(.corrupt, "too many items") }
            for _ in 0..<count {
                let id = try content.number(version < 1 ? 2 : 4)
                var list: [Association] = []
                for _ in 0..<(try content.number(1)) {
                    let value = try content.number(indexSize)
                    let top = indexSize == 2 ? 0x8000 : 0x80
                    list.append(Association(index: value & (top - 1), isEssential: value & top != 0))
                }
                if associations[id] == nil { associations[id] = list }
            }
        }
    }
#endif
