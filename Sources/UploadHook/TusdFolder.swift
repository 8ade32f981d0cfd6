package import AttachmentPrep
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The folder of a tusd file store, in which uploads whose hook got lost are found: `ID` and `ID.info` for
/// each.
package struct TusdFolder: Sendable {
    private let folder: FilePath

    package init(_ folder: FilePath) { self.folder = HookRoots.absolute(folder) }

    /// Uploads that are whole, as the jobs their hooks would have made.
    ///
    /// - Parameters:
    ///   - since: seconds since 1970; what was last written before is left alone, as its record may be
    ///     forgotten.
    ///   - roots: where uploads may lie, this folder among them.
    ///   - log: told what cannot be read.
    /// - Throws: `io` where the folder cannot be read.
    package func uploads(
        since: Double, roots: HookRoots, log: (String) -> Void
    ) throws(PrepError) -> [SpoolJob] {
        var status = stat()
        guard folder.withCString({ unsafe stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw PrepError(.io, .input, "there is no folder \(folder.display)")
        }
        var jobs: [SpoolJob] = []
        for name in folder.entryNames.sorted() where name.hasSuffix(".info") {
            do throws(PrepError) {
                if let job = try upload(name, since, roots) { jobs.append(job) }
            } catch {
                log("\(folder.appending(name).display): \(error.message)")
            }
        }
        return jobs
    }

    private func upload(_ name: String, _ since: Double, _ roots: HookRoots) throws(PrepError) -> SpoolJob? {
        guard let bytes = folder.appending(name).bytes(atMost: HookMessage.longest) else {
            throw PrepError(.io, .input, "it cannot be read, or is no file")
        }
        var upload = try HookJSON.decode(TusdMessage.Upload.self, bytes, "tusd's file")
        if upload.storage["Path"]?.isEmpty ?? true {
            upload.storage["Path"] = folder.appending(String(name.dropLast(".info".count))).display
        }
        guard case .jobs(let jobs) = try TusdMessage.message(of: upload, nil), let job = jobs.first else {
            return nil
        }
        guard case .file(let path) = job.place else { return nil }
        var status = stat()
        guard path.withCString({ unsafe stat($0, &status) }) == 0 else {
            // An upload that was taken away leaves its description for a moment.
            return nil
        }
        #if canImport(Darwin)
            let written = Double(status.st_mtimespec.tv_sec)
        #else
            let written = Double(status.st_mtim.tv_sec)
        #endif
        guard written >= since, Int(status.st_size) == job.size else { return nil }
        _ = try roots.open(path)
        return job
    }
}
