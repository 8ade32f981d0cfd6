internal import AttachmentPrep

/// Lets one of those who want the same thing at the same time do the work, and the others wait for it.
final class SingleFlight<Value: Sendable>: Sendable {
    private struct Flight: Sendable {
        var waiting = 0
        var value: Value?
        var isOver = false
    }

    private let monitor = Monitor([String: Flight]())

    /// What `work` gives, to whoever asked meanwhile too; nil when `isGone` said so while waiting.
    func value(of key: String, isGone: () -> Bool, work: () -> Value) -> Value? {
        let isFirst = monitor.update { flights -> Bool in
            if flights[key] == nil {
                flights[key] = Flight()
                return true
            }
            flights[key]?.waiting += 1
            return false
        }
        if isFirst {
            let value = work()
            monitor.update { flights in
                // Whoever comes from now on asks anew.
                if flights[key]?.waiting == 0 {
                    flights[key] = nil
                } else {
                    flights[key]?.value = value
                    flights[key]?.isOver = true
                }
            }
            return value
        }
        while true {
            let step: Value?? = monitor.wait(milliseconds: 200) { flights -> Value?? in
                guard let flight = flights[key], flight.isOver else { return nil }
                Self.leave(&flights, key)
                return .some(flight.value)
            }
            if let step { return step }
            if isGone() {
                monitor.update { Self.leave(&$0, key) }
                return nil
            }
        }
    }

    private static func leave(_ flights: inout [String: Flight], _ key: String) {
        flights[key]?.waiting -= 1
        if let flight = flights[key], flight.isOver, flight.waiting == 0 { flights[key] = nil }
    }
}
