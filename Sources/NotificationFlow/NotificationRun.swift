internal import AttachmentPrep

/// One notification on its way: whatever happens, its closure is called once and no more.
///
/// Safe to use from any thread.
public final class NotificationRun: Sendable {
    /// Takes what is delivered, on any thread.
    public typealias Deliver = @Sendable (Delivery) -> Void
    /// Is told of a step, on the thread it happens on.
    public typealias Observe = @Sendable (FlowEvent) -> Void

    private struct State: Sendable {
        /// The best there is so far.
        var delivery: Delivery
        /// Nil when it was taken to be called.
        var deliver: Deliver?
    }

    /// As it came.
    let payload: NotificationPayload
    private let state: Monitor<State>
    private let observe: Observe
    /// Raised when nothing more is needed of the work.
    let cancellation = Cancellation()
    let deadline: ContinuousClock.Instant

    init(
        _ payload: NotificationPayload, shown text: NotificationText, deadline: ContinuousClock.Instant,
        observe: @escaping Observe, deliver: @escaping Deliver
    ) {
        let delivery = Delivery(text: text, payload: payload)
        state = Monitor(State(delivery: delivery, deliver: deliver))
        self.payload = payload
        self.deadline = deadline
        self.observe = observe
    }

    /// Delivers what there is, at once, if nothing was delivered yet.
    ///
    /// For `serviceExtensionTimeWillExpire()`, which comes on another thread.
    public func expire() { deliver(.expired) }

    /// Delivers what there is, at once, and ends the work.
    public func cancel() { deliver(.cancelled) }

    /// Whether the closure was called, or is about to be.
    public var isDelivered: Bool { state.update { $0.deliver == nil } }

    /// Waits until the closure was taken to be called; false when that took longer.
    @discardableResult
    package func wait(milliseconds: Int) -> Bool {
        state.wait(milliseconds: milliseconds) { $0.deliver == nil ? true : nil } ?? false
    }

    // MARK: - For the work

    var limits: FlowLimits { FlowLimits(deadline: deadline, cancellation: cancellation) }

    func note(_ event: FlowEvent) { observe(event) }

    /// Makes what is delivered better.
    ///
    /// - Returns: false when it was delivered before, so that nobody will see the change.
    @discardableResult
    func improve(_ change: (inout Delivery) -> Void) -> Bool {
        state.update { state in
            guard state.deliver != nil else { return false }
            change(&state.delivery)
            return true
        }
    }

    /// Calls the closure, unless somebody did.
    ///
    /// The closure runs outside the lock: it may call anything here.
    func deliver(_ reason: Delivery.Reason) {
        let taken: (Deliver, Delivery)? = state.update { state in
            guard let deliver = state.deliver.take() else { return nil }
            state.delivery.reason = reason
            return (deliver, state.delivery)
        }
        guard let (deliver, delivery) = taken else { return }
        cancellation.cancel()
        observe(.delivering(reason))
        deliver(delivery)
    }

    /// Delivers at the deadline; returns when it was delivered by whomever.
    func watch() {
        while true {
            let left = deadline - .now
            guard left > .zero else { return expire() }
            // Short, as the condition waits by the clock on the wall, which may be set back.
            if wait(milliseconds: Int(max(1, min(left / .milliseconds(1), 500)))) { return }
        }
    }
}
