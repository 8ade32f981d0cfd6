public import AttachmentPrep

// What the whole cache holds, and whether it is sound.
extension AttachmentCache {
    /// What a cache holds.
    public struct Statistics: Hashable, Sendable, Encodable {
        /// Attachments with what is known of them.
        public var attachments = 0
        /// Bytes on the disk, all files together.
        public var bytes = 0
        /// Links whose answer is remembered.
        public var links = 0
        /// Files that something killed left behind, or is about to finish.
        public var unfinished = 0
        /// Seconds since the longest unused attachment was asked for.
        public var oldestSeconds: Int?
        /// The limits it is kept within.
        public var limitBytes = 0
        /// Seconds after which what nobody asked for goes.
        public var limitSeconds = 0
    }

    /// What a trim did.
    public struct Trim: Hashable, Sendable, Encodable {
        /// Attachments and links that went.
        public var dropped = 0
        /// Bytes they took.
        public var droppedBytes = 0
        /// Leftovers of something killed that went.
        public var leftovers = 0
        /// Attachments and links that stay.
        public var kept = 0
        /// Bytes they take.
        public var keptBytes = 0
    }

    /// What a verification found; what is damaged was dropped.
    public struct Verification: Hashable, Sendable, Encodable {
        /// Attachments that are what they were when they were written.
        public var sound = 0
        /// Paths of attachments that were not, and went.
        public var damaged: [String] = []
        /// Files without a use: left behind by something killed.
        public var leftovers = 0
    }

    /// Counts what there is, by reading the folders.
    public func statistics() -> Statistics {
        var all = Statistics()
        let now = Int(WallClock.now)
        all.limitBytes = limits.bytes
        all.limitSeconds = limits.unusedSeconds
        for shard in shards {
            let facts = Dictionary(
                shard.files(.facts).map { ($0.name, $0.file.space) }, uniquingKeysWith: { first, _ in first })
            var known = 0
            for (name, _, file) in shard.files(.media) {
                all.bytes += file.space
                guard facts[name.prefix { $0 != "." } + ".json"] != nil else {
                    all.unfinished += 1
                    continue
                }
                known += 1
                all.oldestSeconds = max(
                    all.oldestSeconds ?? 0, now.subtractingReportingOverflow(file.modified).partialValue)
            }
            all.attachments += known
            all.unfinished += facts.count - known
            all.bytes += facts.values.reduce(0, +)
            for (name, _, file) in shard.files(.links) {
                if name.hasSuffix(".json") { all.links += 1 } else { all.unfinished += 1 }
                all.bytes += file.space
            }
        }
        return all
    }

    /// Brings the cache within its limits now.
    public func trim() -> Trim {
        var trim = Trim()
        for shard in shards {
            let sweep = shard.sweep(maxBytes: limits.bytes / 256)
            trim.dropped += sweep.dropped.files
            trim.droppedBytes += sweep.dropped.bytes
            trim.leftovers += sweep.leftovers
            trim.kept += sweep.kept.files
            trim.keptBytes += sweep.kept.bytes
        }
        return trim
    }

    /// Reads every attachment and drops what is not what it was when it was written.
    ///
    /// - Throws: `io` where there is nothing to check with; what cannot be read is damaged.
    public func verify() throws(PrepError) -> Verification {
        var all = Verification()
        // Without the library nothing can be told, and nothing must be dropped.
        _ = try ContentDigest.sha256([])
        let age = Limits(bytes: .max, unusedSeconds: .max)
        for shard in shards {
            for (name, path, _) in shard.files(.facts) {
                guard let key = Self.name(of: FilePath(name)), name == key + ".json" else { continue }
                // Writers put the attachment first, so facts without one are a leftover.
                guard let facts = OutputFacts.read(path), let output = facts.record.outputs.first,
                    let media = mediaPath(key, output)
                else {
                    // It may have gone since it was listed.
                    guard FileFacts(of: path) != nil else { continue }
                    path.remove()
                    all.damaged.append(path.display)
                    continue
                }
                guard FileFacts(of: media) != nil else {
                    path.remove()
                    all.leftovers += 1
                    continue
                }
                let digest = try? Self.digest(media)
                if digest == facts.sha256 {
                    all.sound += 1
                } else if digest == nil, FileFacts(of: media) == nil {
                    all.leftovers += 1  // It went meanwhile.
                } else {
                    media.remove()
                    path.remove()
                    all.damaged.append(media.display)
                }
            }
            for (name, path, _) in shard.files(.links)
            where name.hasSuffix(".json") && LinkEntry.read(path) == nil && FileFacts(of: path) != nil {
                path.remove()
                all.damaged.append(path.display)
            }
            // Of what has no facts, only a sweep knows how old it must be to be nobody's work.
            let anyAge = CacheShard(folder: shard.folder, index: shard.index, limits: age)
            all.leftovers += anyAge.sweep(maxBytes: .max).leftovers
        }
        return all
    }
}
