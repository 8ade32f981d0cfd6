#if canImport(UserNotifications)
    public import NotificationFlow

    extension NotificationPayload {
        /// What a notification's `userInfo` says; what is no JSON value is left out.
        public init(userInfo: [AnyHashable: Any]) {
            self.init(JSONValue.members(of: userInfo))
        }
    }

    extension JSONValue {
        fileprivate static func members(of dictionary: [AnyHashable: Any]) -> [String: JSONValue] {
            var members: [String: JSONValue] = [:]
            for (key, value) in dictionary {
                guard let name = key.base as? String else { continue }
                members[name] = JSONValue(any: value)
            }
            return members
        }

        /// A value of a property list: numbers come first, as Foundation's boolean is one too.
        private init?(any value: Any) {
            switch value {
            case let text as String: self = .string(text)
            case let number as Double: self = .number(number)
            case let number as Int: self = .number(Double(number))
            case let flag as Bool: self = .bool(flag)
            case let elements as [Any]: self = .array(elements.map { JSONValue(any: $0) ?? .null })
            case let members as [AnyHashable: Any]: self = .object(Self.members(of: members))
            case let members as [String: Any]:
                self = .object(Self.members(of: members))
            default: return nil
            }
        }
    }
#endif
