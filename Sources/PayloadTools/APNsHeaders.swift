package import AttachmentPrep

/// The headers of a request to APNs.
package struct APNsHeaders: Sendable {
    struct Line: Sendable {
        /// Lower case.
        let name: String
        let value: String
        /// Where it stands in an FCM message.
        var node: Int?
    }

    let lines: [Line]

    /// Reads lines `name: value`; empty lines, HTTP's first line and HTTP/2's `:path` and the like say
    /// nothing.
    ///
    /// - Throws: `invalid-payload`, and the number of a line that is no header.
    package init(_ bytes: [UInt8]) throws(PrepError) {
        var lines: [Line] = []
        let text = String(decoding: bytes, as: UTF8.self)
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let line = Self.trimmed(line)
            if line.isEmpty || line.hasPrefix(":") || line.hasPrefix("#") || line.hasPrefix("POST ") {
                continue
            }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw PrepError(
                    .invalidPayload, .input, "line \(index + 1) of the headers is no 'name: value'",
                    detail: "such as 'apns-push-type: alert'")
            }
            let value = Self.trimmed(line[line.index(after: colon)...])
            lines.append(Line(name: Self.trimmed(line[..<colon]).lowercased(), value: String(value)))
        }
        self.lines = lines
    }

    subscript(name: String) -> String? { lines.last { $0.name == name }?.value }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func trimmed(_ text: String) -> Substring { trimmed(text[...]) }

    /// What each push type puts behind the bundle identifier (Apple: Sending notification requests to APNs).
    static let topicSuffixes: [String: String] = [
        "alert": "", "background": "", "mdm": "", "location": ".location-query", "voip": ".voip",
        "complication": ".complication", "fileprovider": ".pushkit.fileprovider",
        "liveactivity": ".push-type.liveactivity", "pushtotalk": ".voip-ptt", "widgets": ".push-type.widgets",
        "controls": ".push-type.controls",
    ]
}

extension PayloadCheck {
    /// - Parameter alone: whether these are all headers there will be; FCM adds what is missing.
    mutating func checkHeaders(_ lines: [APNsHeaders.Line], alone: Bool) {
        func value(_ name: String) -> APNsHeaders.Line? { lines.last { $0.name == name } }
        let type = value("apns-push-type")
        if let type {
            checkPushType(type)
        } else if alone {
            add(.pushTypeMissing, "there is no apns-push-type", outside: "apns-push-type")
        }
        if let priority = value("apns-priority") { checkPriority(priority, type?.value) }
        if let topic = value("apns-topic") {
            checkTopic(topic, type?.value ?? "alert")
        } else if alone {
            add(.topicMissing, "there is no apns-topic", outside: "apns-topic")
        }
        for line in lines { checkForm(of: line) }
    }

    private mutating func say(_ rule: PayloadRule, _ what: String, _ line: APNsHeaders.Line) {
        if let node = line.node { add(rule, what, at: node) } else { add(rule, what, outside: line.name) }
    }

    /// Whether the payload shows something by itself.
    private var hasAlert: Bool {
        let message = document.member(0, "message") ?? 0
        return [["aps", "alert"], ["apns", "payload", "aps", "alert"], ["notification"]].contains {
            isFilled(document.member(message, path: $0))
        }
    }

    private mutating func checkPushType(_ line: APNsHeaders.Line) {
        guard APNsHeaders.topicSuffixes.keys.contains(line.value) else {
            return say(.pushTypeUnknown, "the push type is '\(line.value)'", line)
        }
        if line.value == "background", hasAlert {
            say(.pushTypeWrong, "the push type is background, and the payload has an alert", line)
        } else if line.value == "alert", !hasAlert,
            document.member(0, path: ["aps", "content-available"]) != nil
        {
            say(.pushTypeWrong, "the push type is alert, and the payload is silent", line)
        } else if hasAlert, !["alert", "background", "liveactivity"].contains(line.value) {
            say(.pushTypeWrong, "the push type is \(line.value), and the payload has an alert", line)
        }
    }

    private mutating func checkPriority(_ line: APNsHeaders.Line, _ type: String?) {
        if !["10", "5", "1"].contains(line.value) {
            say(.priorityInvalid, "the priority is '\(line.value)'", line)
        } else if type == "background", line.value == "10" {
            say(.priorityInvalid, "the priority of a background push is 10", line)
        } else if type != "background", line.value != "10", hasAlert {
            say(.priorityLow, "the priority is \(line.value)", line)
        }
    }

    private mutating func checkTopic(_ line: APNsHeaders.Line, _ type: String) {
        let topic = line.value
        let isForm =
            !topic.isEmpty && topic.contains(".")
            && topic.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"): true
                default: false
                }
            }
        let suffix = APNsHeaders.topicSuffixes[type] ?? ""
        let others = APNsHeaders.topicSuffixes.values.filter { !$0.isEmpty }
        if !isForm {
            say(.topicWrong, "the topic '\(topic)' is no bundle identifier", line)
        } else if !topic.hasSuffix(suffix) {
            say(.topicWrong, "the topic \(topic) does not end in \(suffix)", line)
        } else if suffix.isEmpty, let other = others.first(where: { topic.hasSuffix($0) }) {
            say(.topicWrong, "the topic ends in \(other), and the push type is \(type)", line)
        } else if topic.lowercased().contains("notificationservice") {
            say(.topicWrong, "the topic \(topic) is the extension's", line)
        }
    }

    private mutating func checkForm(of line: APNsHeaders.Line) {
        let isGood: Bool
        switch line.name {
        case "apns-id":
            let lengths = line.value.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
            isGood = lengths == [8, 4, 4, 4, 12] && line.value.allSatisfy { $0 == "-" || $0.isHexDigit }
        case "apns-expiration": isGood = Int(line.value).map { $0 >= 0 } ?? false
        case "apns-collapse-id": isGood = (1...64).contains(line.value.utf8.count)
        default: return
        }
        if !isGood { say(.headerInvalid, "\(line.name) is '\(line.value.prefix(80))'", line) }
    }
}
