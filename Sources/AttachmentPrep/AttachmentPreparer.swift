import MediaTypes

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
        var record = PreparationRecord(input: source.name, outcome: .failed)
        record.inputBytes = source.nameBytes
        record.error = PrepError(.io, .input, "not built yet")
        return record
    }
}
