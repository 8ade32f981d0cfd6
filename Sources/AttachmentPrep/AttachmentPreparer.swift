/// Turns any upload into attachments: the one entry of the library.
///
/// A preparer is a value that may be shared between threads and used any number of times; each job is
/// independent and holds its own memory.
public struct AttachmentPreparer: Sendable {
    /// The outputs to make, from one decode.
    public var profiles: [Profile]
    /// What may be changed besides the profiles.
    public var options: PreparationOptions

    /// Creates a preparer for one or several profiles.
    public init(profiles: [Profile] = [.apns], options: PreparationOptions = .init()) {
        self.profiles = profiles
        self.options = options
    }

    /// Creates a preparer for one profile.
    public init(profile: Profile, options: PreparationOptions = .init()) {
        self.init(profiles: [profile], options: options)
    }

    /// Creates a preparer with what suits the place where it runs, for the profile `apns`.
    public init(preset: MemoryPreset) {
        self.init(profiles: [.apns], options: PreparationOptions(preset: preset))
    }

    /// Prepares one input on a thread of its own and answers the first profile's attachment.
    ///
    /// - Throws: why there is none. Cancelling the task ends the job as `cancelled`.
    public func prepare(
        _ source: AttachmentSource, into destination: AttachmentDestination
    ) async throws(PrepError) -> PreparedAttachment {
        let preparer = self
        return try PreparedAttachment(
            await onOwnThread { preparer.record(of: source, into: destination, cancellation: $0) })
    }

    /// Does a job on a thread of its own; cancelling the task cancels the job.
    package func onOwnThread(
        _ job: @escaping @Sendable (Cancellation) -> PreparationRecord
    ) async -> PreparationRecord {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A job blocks and computes, which Swift's cooperative pool is not made for.
                let work: @Sendable () -> Void = { continuation.resume(returning: job(cancellation)) }
                if let thread = SystemThread(work) { thread.detach() } else { work() }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Begins an input whose bytes are pushed in as they arrive.
    ///
    /// - Parameters:
    ///   - name: the input as shown in the record; a suffix in it is compared with the type.
    ///   - destination: where the outputs go.
    ///   - cancellation: asked between chunks and rows; a cancelled job ends as `cancelled`.
    ///   - admission: shared by jobs of one process; a job waits until its computed need fits.
    public func begin(
        named name: String = "-", into destination: AttachmentDestination,
        cancellation: Cancellation = .init(),
        admission: MemoryBudget? = nil
    ) -> PreparationSession {
        begin(
            .bytes([], name: name), into: destination, cancellation: cancellation, admission: admission)
    }

    /// Begins an input whose bytes are pushed in, named as a source says; its own bytes are not read.
    package func begin(
        _ source: AttachmentSource, into destination: AttachmentDestination, cancellation: Cancellation,
        admission: MemoryBudget?
    ) -> PreparationSession {
        PreparationSession(
            self, source: source, into: destination, cancellation: cancellation, budget: admission)
    }

    /// Prepares one input synchronously and says everything about it; never throws.
    ///
    /// - Parameters:
    ///   - source: the input.
    ///   - destination: where the outputs go.
    ///   - cancellation: asked between chunks and rows; a cancelled job ends as `cancelled`.
    ///   - admission: shared by jobs of one process; a job waits until its computed need fits.
    public func record(
        of source: AttachmentSource, into destination: AttachmentDestination,
        cancellation: Cancellation = .init(), admission: MemoryBudget? = nil
    ) -> PreparationRecord {
        var session = PreparationSession(
            self, source: source, into: destination, cancellation: cancellation, budget: admission)
        SourceReader(limits: options.limits).read(source, into: &session)
        return session.record()
    }
}
