package import AttachmentPrep

/// Does the jobs of a spool, one after the other on whatever thread calls it; any number of threads may.
package struct SpoolWorker: Sendable {
    private let spool: JobSpool
    private let roots: HookRoots
    private let work: @Sendable (HookSource, SpoolJob) -> PreparationRecord
    private let log: @Sendable (String) -> Void

    /// - Parameters:
    ///   - roots: where the paths of jobs may lead.
    ///   - work: makes the attachments.
    package init(
        spool: JobSpool, roots: HookRoots,
        work: @escaping @Sendable (HookSource, SpoolJob) -> PreparationRecord
    ) {
        self.spool = spool
        self.roots = roots
        self.work = work
        log = spool.rules.log
    }

    /// Does jobs as they come until it is told to stop, which it asks after each job and several times a
    /// second.
    package func run(isStopped: @Sendable () -> Bool) {
        let bell = SpoolBell(spool.new.path)
        var lastTrouble = ""
        while !isStopped() {
            do throws(PrepError) {
                if try doOne() != nil { continue }
                lastTrouble = ""
            } catch {
                // A full disk says the same every second.
                if error.message != lastTrouble { log("\(error.code.rawValue): \(error.message)") }
                lastTrouble = error.message
            }
            var left = 5
            while left > 0, !isStopped(), !bell.rings(within: 200) { left -= 1 }
        }
    }

    /// Does the jobs that are due until there is none left.
    ///
    /// - Parameter deliver: told each record, on the same thread.
    package func drain(
        isStopped: () -> Bool, deliver: (PreparationRecord) -> Void
    ) throws(PrepError) {
        while !isStopped(), let record = try doOne() { deliver(record) }
    }

    /// Does one job; nil where none is due.
    private func doOne() throws(PrepError) -> PreparationRecord? {
        guard let claimed = try spool.claim() else { return nil }
        let job = claimed.job
        let record: PreparationRecord
        do throws(PrepError) {
            record = work(try roots.source(of: job), job)
        } catch {
            record = PreparationRecord(input: job.name, error: error)
        }
        try claimed.finish(with: record)
        return record
    }
}
