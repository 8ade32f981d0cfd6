internal import AttachmentPrep

/// Lets one of those who want the same thing at the same time do the work, and the others wait for it.
final class SingleFlight<Value: Sendable>: Sendable {
    private let flights = Monitor([String: Monitor<Value?>]())

    /// What `work` gives, to whoever asked meanwhile too; nil when `isGone` said so while waiting.
    func value(of key: String, isGone: () -> Bool, work: () -> Value) -> Value? {
        let (flight, isFirst) = flights.update { flights -> (Monitor<Value?>, Bool) in
            if let flight = flights[key] { return (flight, false) }
            let flight = Monitor<Value?>(nil)
            flights[key] = flight
            return (flight, true)
        }
        if isFirst {
            let value = work()
            // Whoever comes from now on asks anew.
            flights.update { $0[key] = nil }
            flight.update { $0 = value }
            return value
        }
        while true {
            if let value = flight.wait(milliseconds: 200, { $0 }) { return value }
            if isGone() { return nil }
        }
    }
}
