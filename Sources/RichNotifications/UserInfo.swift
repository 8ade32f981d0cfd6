#if canImport(UserNotifications)
    public import NotificationFlow

    #if canImport(Darwin)
        internal import Foundation
    #endif

    extension NotificationPayload {
        /// What a notification's `userInfo` says; what is no JSON value is left out.
        public init(userInfo: [AnyHashable: Any]) {
            self.init(JSONValue.members(of: userInfo))
        }
    }

    extension JSONValue {
        /// - Parameter levels: left to look into; a payload's own JSON has no more.
        fileprivate static func members(
            of dictionary: [AnyHashable: Any], levels: Int = 32
        ) -> [String: JSONValue] {
            var members: [String: JSONValue] = [:]
            for (key, value) in dictionary {
                guard let name = key.base as? String else { continue }
                members[name] = JSONValue(any: value, levels: levels - 1)
            }
            return members
        }

        /// A value of a property list.
        private init?(any value: Any, levels: Int) {
            guard levels > 0 else { return nil }
            #if canImport(Darwin)
                // Foundation's boolean is a number, and its 0 and 1 are booleans to Swift.
                if let number = value as? NSNumber, CFGetTypeID(number) == CFBooleanGetTypeID() {
                    self = .bool(number.boolValue)
                    return
                }
            #endif
            switch value {
            case let text as String: self = .string(text)
            case let number as Double: self = .number(number)
            case let number as Int: self = .number(Double(number))
            case let flag as Bool: self = .bool(flag)
            case let elements as [Any]:
                self = .array(elements.map { JSONValue(any: $0, levels: levels - 1) ?? .null })
            case let members as [AnyHashable: Any]:
                self = .object(Self.members(of: members, levels: levels))
            default: return nil
            }
        }
    }
#endif
