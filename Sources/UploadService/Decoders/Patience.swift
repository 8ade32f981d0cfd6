internal import AttachmentPrep

/// For how long somebody waits: until a moment, or until nobody wants the answer any more.
struct Patience {
    let deadline: ContinuousClock.Instant?
    let isGone: () -> Bool
    /// What took too long, where something did.
    let what: String

    init(_ limit: Duration?, for what: String, isGone: @escaping () -> Bool) {
        deadline = limit.map { ContinuousClock.now + $0 }
        self.what = what
        self.isGone = isGone
    }

    var isOver: Bool { reason != nil }

    /// Why it is over, once it is.
    var reason: PrepError? {
        if isGone() { return PrepError(.cancelled, .input, "nobody waits for the answer any more") }
        guard let deadline, ContinuousClock.now >= deadline else { return nil }
        return PrepError(.timeLimit, .input, "\(what); raise --timeout, or try again later")
    }
}
