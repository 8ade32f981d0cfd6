// A notification service extension that is complete: every push is decrypted, completed and shown with its picture, and
// whatever happens its handler is called once.
//
// In Xcode: File, New, Target, Notification Service Extension; put this file in place of the generated one, Info.plist
// beside it, link NotificationFlow (with no traits but those you need), and set the deployment target no higher than your
// users' oldest iOS: an extension built for a newer one is never started.

internal import AttachmentPrep
internal import LinkFetch
internal import MediaCache
internal import NotificationFlow
internal import RichNotifications
internal import UserNotifications

#if canImport(Darwin)
    internal import Foundation
    internal import Network
    internal import Security
    internal import os
#endif

/// Named in Info.plist as `NSExtensionPrincipalClass`.
final class NotificationService: RichNotificationService {
    override class func makeFlow() throws -> NotificationFlow {
        Shared.watchNetwork()
        // Shared with the app by an App Group, so that either finds what the other fetched.
        let cache = try AttachmentCache(Shared.folder, limits: .init(bytes: 50_000_000))
        var flow = NotificationFlow(cache: cache)
        flow.seal = SealedPayload(at: "encrypted_data", keyName: "key_id", keys: SharedKeys())
        // What is personal stays out of the payload and comes from your own server.
        let details = EventDetails(
            at: "https://api.example.com/events/{id}", idPath: "event_id", fetch: Shared.fetch
        ) { Shared.token }
        flow.details = [details]
        flow.fetch = Shared.fetch
        // Pictures that only signed-in users may see; the token goes to this host and nowhere else.
        flow.tokens = [MediaToken(for: ["media.example.com"]) { Shared.token }]
        flow.network = { Shared.network }
        flow.availableMemory = { Shared.availableMemory }
        return flow
    }

    override func finish(_ content: UNMutableNotificationContent, _ delivery: Delivery) {
        // Why there is no picture, for Console.app.
        if case .failed(let error) = delivery.media { Shared.log("\(error.code.rawValue): \(error.message)") }
    }
}

/// What app and extension have in common.
enum Shared {
    #if canImport(Darwin)
        private static let group = "group.com.example.app"
        private static let monitor = NWPathMonitor()
        private static let isNetworkKnown = DispatchSemaphore(value: 0)

        /// Begins to watch the network: the monitor knows nothing before its first update, Low Data Mode neither.
        static func watchNetwork() {
            monitor.pathUpdateHandler = { _ in isNetworkKnown.signal() }
            monitor.start(queue: .global())
        }

        static var folder: String {
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?
                .appendingPathComponent("Library/Caches/attachments").path ?? NSTemporaryDirectory()
        }
        static var fetch: FetchOptions {
            var options = FetchOptions()
            options.transport = URLSessionTransport()
            return options
        }
        /// What the app put there when the user signed in.
        static var token: String? { UserDefaults(suiteName: group)?.string(forKey: "api-token") }
        static var network: NetworkCondition {
            if isNetworkKnown.wait(timeout: .now() + .milliseconds(500)) == .success {
                // Given on, as several pushes may wait.
                isNetworkKnown.signal()
            }
            let path = monitor.currentPath
            return path.isConstrained ? .constrained : path.isExpensive ? .expensive : .unrestricted
        }
        /// Nil where there is no answer, for which the function gives 0.
        static var availableMemory: Int? {
            #if os(macOS)
                return nil
            #else
                let bytes = Int(os_proc_available_memory())
                return bytes > 0 ? bytes : nil
            #endif
        }
        static func log(_ text: String) { NSLog("%@", text) }
    #else
        // For tests on Linux.
        static func watchNetwork() {}
        static let folder = "/tmp/attachprep-service-extension"
        static let fetch = FetchOptions()
        static let token: String? = nil
        static let network = NetworkCondition.unrestricted
        static let availableMemory: Int? = nil
        static func log(_ text: String) {}
    #endif
}

/// Keys that the app made and keeps in a keychain group of both.
struct SharedKeys: PayloadKeys {
    func key(named name: String?) -> [UInt8]? {
        #if canImport(Darwin)
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "push-keys",
                kSecAttrAccount: name ?? "default", kSecAttrAccessGroup: "TEAMID.com.example.shared",
                kSecReturnData: true,
            ]
            var found: CFTypeRef?
            guard unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else {
                return nil
            }
            return (found as? Data).map { Array($0) }
        #else
            return nil
        #endif
    }
}
