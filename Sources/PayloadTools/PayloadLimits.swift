/// What push services take (Apple: Generating a remote notification; Firebase: About FCM messages).
package enum PayloadLimits {
    /// Bytes of a payload for APNs, and of an FCM message's notification and data together.
    package static let bytes = 4096
    /// Bytes of a payload for APNs with `apns-push-type: voip`.
    static let voipBytes = 5120
}

extension JSONDocument {
    /// The first of an FCM message's notification and data, and what both have together.
    ///
    /// FCM writes anew what it passes on, so white space does not count.
    func blocks(ofMessage message: Int) -> (first: Int?, bytes: Int) {
        let blocks = ["notification", "data"].compactMap { member(message, $0) }
        return (blocks.first, blocks.reduce(0) { $0 + minimised($1).count })
    }
}
