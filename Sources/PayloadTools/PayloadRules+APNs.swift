// What keeps a picture away before anybody looks at the link.

extension PayloadRule {
    static let shapeRules: [PayloadRule] = [
        notAnObject, unknownShape, duplicateKey, duplicatePlatformKey, apsNotAnObject, tooLarge,
        headerInPayload,
    ]

    static let notAnObject = PayloadRule(
        "not-an-object", .fatal, why: "APNs and FCM take a JSON object and nothing else.",
        cure: "Send {\"aps\": {...}} or {\"message\": {...}}.")
    static let unknownShape = PayloadRule(
        "unknown-shape", .fatal,
        why: "APNs wants aps at the top, FCM wants message; other wrappers are a sending service's own.",
        cure: "Check what the service makes of it: the JSON that goes to APNs or FCM.")
    static let duplicateKey = PayloadRule(
        "duplicate-key", .warning, why: "Which of the two counts is up to whoever reads it (RFC 8259, 4).",
        cure: "Keep one of them.")
    static let duplicatePlatformKey = PayloadRule(
        "duplicate-platform-key", .fatal,
        why: "The platform reads one of the two, and nobody says which (RFC 8259, 4).",
        cure: "Merge them into one.")
    static let apsNotAnObject = PayloadRule(
        "aps-not-an-object", .fatal, why: "aps is a dictionary (Apple: Generating a remote notification).",
        cure: "Make aps an object with alert and mutable-content in it.")
    static let tooLarge = PayloadRule(
        "payload-too-large", .fatal,
        why: "APNs answers PayloadTooLarge over 4096 bytes, 5120 for VoIP, counted as they are sent.",
        cure: "Send an identifier instead of the text, and a short link; 'payload rewrite' drops white space."
    )
    static let headerInPayload = PayloadRule(
        "header-in-payload", .warning,
        why: "apns-* are HTTP headers; in the payload APNs hands them to the app and does nothing else.",
        cure: "Send it as a header of the request; with FCM in message.apns.headers.")

    static let apnsRules: [PayloadRule] = [
        mutableContentOutside, mutableContentMissing, mutableContentNotOne, noAlert, contentAvailableOnly,
        alertEmpty,
        alertType, apsKeyMisspelt, apsKeyUnknown, apsKeyType, apsKeyNewer, interruptionLevel, categoryCase,
        categoryUnknown, categoryMissing, hintIsMIME, hintIsExtension, hintNotAccepted,
    ]

    static let mutableContentOutside = PayloadRule(
        "mutable-content-outside", .fatal,
        why:
            "iOS looks for mutable-content in aps only and ignores it elsewhere; APNs answers 200 all "
            + "the same.",
        cure: "Move it into aps: \"aps\": {\"alert\": ..., \"mutable-content\": 1}.")
    static let mutableContentMissing = PayloadRule(
        "mutable-content-missing", .fatal,
        why: "Without mutable-content the service extension is not started, and nobody fetches the picture.",
        cure: "Add \"mutable-content\": 1 to aps; 'payload rewrite' does.")
    static let mutableContentNotOne = PayloadRule(
        "mutable-content-not-one", .fatal,
        why:
            "The extension is started if the value is the number 1 (Apple: Modifying content in newly "
            + "delivered "
            + "notifications).",
        cure: "Write \"mutable-content\": 1, without quotes.")
    static let noAlert = PayloadRule(
        "no-alert", .fatal,
        why: "The service extension runs for pushes that show an alert; sound or badge alone never reach it.",
        cure: "Add \"alert\": {\"title\": ..., \"body\": ...} to aps.")
    static let contentAvailableOnly = PayloadRule(
        "content-available-only", .fatal,
        why:
            "A silent push shows nothing, starts no service extension, and does not reach an app that "
            + "was swiped away.",
        cure: "Add an alert and mutable-content, and send it with apns-push-type: alert.")
    static let alertEmpty = PayloadRule(
        "alert-empty", .fatal,
        why: "An alert without title, subtitle and body shows nothing, so the extension is not asked either.",
        cure: "Give it a neutral text, which is also what is seen if the picture does not come in time.")
    static let alertType = PayloadRule(
        "alert-type", .fatal, why: "alert is a string or a dictionary.",
        cure: "Write \"alert\": {\"title\": ..., \"body\": ...}.")
    static let apsKeyMisspelt = PayloadRule(
        "aps-key-misspelt", .fatal,
        why: "iOS knows the key under its exact name only; any other is ignored without an error.",
        cure: "Write it as Apple does, with hyphens and in lower case.")
    static let apsKeyUnknown = PayloadRule(
        "aps-key-unknown", .warning, why: "Apple reserves aps for its own keys and ignores others.",
        cure: "Put your own keys beside aps.")
    static let apsKeyType = PayloadRule(
        "aps-key-type", .warning, why: "A value of another type than Apple's table says is ignored.",
        cure: "Write numbers without quotes, and text in them.")
    static let apsKeyNewer = PayloadRule(
        "aps-key-newer", .warning, why: "Older systems ignore the key, so the push looks different there.",
        cure: "Make sure that it is good enough without, or raise the app's deployment target.")
    static let interruptionLevel = PayloadRule(
        "interruption-level", .warning, why: "There are passive, active, time-sensitive and critical.",
        cure: "Use one of them; others count as active.")
    static let categoryCase = PayloadRule(
        "category-case", .fatal,
        why: "Categories are compared letter by letter: in another case it is another category, without the "
            + "extension's screen and without buttons.",
        cure: "Write it exactly as the app registers it and as Info.plist has it.")
    static let categoryUnknown = PayloadRule(
        "category-unknown", .warning,
        why:
            "A category that nobody registered has no buttons and no screen of its own; the picture "
            + "still shows.",
        cure: "Register it by setNotificationCategories, and name it in the content extension's Info.plist.")
    static let categoryMissing = PayloadRule(
        "category-missing", .warning,
        why: "A content extension is chosen by the payload's category and by nothing else.",
        cure: "Add \"category\" to aps.")
    static let hintIsMIME = PayloadRule(
        "hint-is-mime", .fatal,
        why:
            "UNNotificationAttachmentOptionsTypeHintKey takes a uniform type identifier; for a MIME "
            + "type creating "
            + "the attachment fails with error 101.",
        cure: "Send public.jpeg, public.png or com.compuserve.gif.")
    static let hintIsExtension = PayloadRule(
        "hint-is-extension", .fatal,
        why: "UNNotificationAttachmentOptionsTypeHintKey takes a uniform type identifier; \"jpg\" is none.",
        cure: "Send public.jpeg, public.png or com.compuserve.gif.")
    static let hintNotAccepted = PayloadRule(
        "hint-not-accepted", .fatal, why: "The type is not in Apple's list of attachment types.",
        cure: "Send a JPEG, PNG or GIF and its type.")
}
