// FCM's traps, and what the sender's side adds: headers, Info.plist, personal data.

extension PayloadRule {
    static let fcmRules: [PayloadRule] = [
        fcmLegacy, fcmEnvelope, fcmUnknownField, fcmImageWrongBlock, fcmFieldType, fcmDataNotText,
        fcmDataReserved,
        fcmTargets, fcmBothBlocks, fcmImageInData, fcmTooLarge, fcmPriority, fcmImageVersion, fcmImageStill,
        fcmImageTooLarge, fcmImageSlow,
    ]

    static let fcmLegacy = PayloadRule(
        "fcm-legacy", .fatal, why: "Google shut the legacy API down in 2024; it answers an error.",
        cure: "Send {\"message\": {\"token\": ..., \"notification\": ...}} to the HTTP v1 API.")
    static let fcmEnvelope = PayloadRule(
        "fcm-envelope", .warning,
        why: "The HTTP v1 API wants the message in {\"message\": ...}; Admin SDKs add that themselves.",
        cure: "Wrap it, unless an Admin SDK sends it.")
    static let fcmUnknownField = PayloadRule(
        "fcm-unknown-field", .fatal,
        why: "The HTTP v1 API refuses a message with a field it does not know (400 INVALID_ARGUMENT).",
        cure: "Put your own keys into message.data, or into message.apns.payload for iOS.")
    static let fcmImageWrongBlock = PayloadRule(
        "fcm-image-wrong-block", .fatal,
        why:
            "FCM looks for the picture in notification.image, android.notification.image, "
            + "apns.fcm_options.image "
            + "and webpush.notification.image only.",
        cure: "Move the link to notification.image.")
    static let fcmFieldType = PayloadRule(
        "fcm-field-type", .fatal,
        why: "The HTTP v1 API refuses a field of another type (400 INVALID_ARGUMENT).",
        cure: "Make it what FCM's reference says.")
    static let fcmDataNotText = PayloadRule(
        "fcm-data-not-text", .fatal,
        why: "Values of data and of apns.headers are strings; the HTTP v1 API refuses others.",
        cure: "Write the value in quotes; an object as JSON in a string.")
    static let fcmDataReserved = PayloadRule(
        "fcm-data-reserved", .fatal,
        why:
            "from, message_type and whatever begins with google or gcm are FCM's own; the message is "
            + "refused.",
        cure: "Give the key another name.")
    static let fcmTargets = PayloadRule(
        "fcm-targets", .fatal, why: "A message goes to one of token, topic or condition.",
        cure: "Keep one of them.")
    static let fcmBothBlocks = PayloadRule(
        "fcm-both-blocks", .warning,
        why:
            "With notification and data the system shows the message while the app is in the background, and "
            + "onMessageReceived is not called: the app gets the data when it is tapped, if at all.",
        cure: "Send data alone and show it yourself, or put into notification all that must be seen.")
    static let fcmImageInData = PayloadRule(
        "fcm-image-in-data", .fatal,
        why:
            "The system shows the notification block without asking the app, so nobody reads the link "
            + "in data.",
        cure: "Move the link to notification.image, or send data alone.")
    static let fcmTooLarge = PayloadRule(
        "fcm-too-large", .fatal, why: "FCM refuses messages whose notification and data are over 4096 bytes.",
        cure: "Send an identifier instead of the text, and a short link.")
    static let fcmPriority = PayloadRule(
        "fcm-priority", .warning,
        why: "A data message of normal priority waits while the phone sleeps.",
        cure: "Set android.priority to HIGH if the user is to see it at once.")
    static let fcmImageVersion = PayloadRule(
        "fcm-image-version", .warning,
        why: "WebP and HEIF are shown by some versions of Android and not by others.",
        cure: "Let 'payload rewrite' put a link to a JPEG in its place.")
    static let fcmImageStill = PayloadRule(
        "fcm-image-still", .warning, why: "Android shows the first frame of a GIF only.",
        cure: "Make sure that the first frame is the picture.")
    static let fcmImageTooLarge = PayloadRule(
        "fcm-image-too-large", .fatal,
        why: "FCM's code on Android gives up over 1,048,576 bytes and shows the message without the picture.",
        cure: "Send a smaller file: 'payload rewrite' leads to one of at most 300,000 bytes.")
    static let fcmImageSlow = PayloadRule(
        "fcm-image-slow", .fatal,
        why: "FCM's code on Android waits 5 seconds for the picture and then shows the message without.",
        cure: "Serve it from a faster host, and a smaller file.")

    static let senderRules: [PayloadRule] = [
        pushTypeMissing, pushTypeUnknown, pushTypeWrong, priorityInvalid, priorityLow, topicMissing,
        topicWrong,
        headerInvalid, extensionPoint, extensionCategory, extensionRatio, extensionTooNew, personalEmail,
        personalPhone,
        personalCard, personalKey,
    ]

    static let pushTypeMissing = PayloadRule(
        "push-type-missing", .warning,
        why: "Apple requires apns-push-type on watchOS 6 and asks for it since iOS 13.",
        cure: "Send apns-push-type: alert.")
    static let pushTypeUnknown = PayloadRule(
        "push-type-unknown", .fatal, why: "APNs refuses types it does not know (InvalidPushType).",
        cure: "Send apns-push-type: alert.")
    static let pushTypeWrong = PayloadRule(
        "push-type-wrong", .fatal,
        why:
            "The type must be the payload's: alert for what is shown, background for silent pushes. "
            + "Others may be "
            + "delayed or dropped.",
        cure: "Send apns-push-type: alert for a push with a picture.")
    static let priorityInvalid = PayloadRule(
        "priority-invalid", .fatal,
        why: "apns-priority is 10, 5 or 1 (BadPriority), and 10 is an error for background pushes.",
        cure: "Send 10 for an alert, 5 for a background push.")
    static let priorityLow = PayloadRule(
        "priority-low", .warning, why: "An alert of priority 5 or 1 may be held back to save the battery.",
        cure: "Send apns-priority: 10, or leave it out.")
    static let topicMissing = PayloadRule(
        "topic-missing", .warning,
        why:
            "With token authentication APNs wants apns-topic (MissingTopic); a certificate of one topic "
            + "does without.",
        cure: "Send apns-topic with the app's bundle identifier.")
    static let topicWrong = PayloadRule(
        "topic-wrong", .fatal,
        why:
            "The topic is the app's bundle identifier, never the extension's; each other push type has "
            + "a suffix of "
            + "its own (BadTopic, DeviceTokenNotForTopic).",
        cure: "Send the app's bundle identifier, with the push type's suffix if it has one.")
    static let headerInvalid = PayloadRule(
        "header-invalid", .fatal, why: "APNs refuses a request with such a header (400).",
        cure:
            "Mend it: apns-id is a UUID, apns-expiration seconds since 1970 or 0, apns-collapse-id at "
            + "most 64 bytes."
    )
    static let extensionPoint = PayloadRule(
        "extension-point", .fatal,
        why:
            "iOS knows com.apple.usernotifications.service and "
            + "com.apple.usernotifications.content-extension.",
        cure: "Set NSExtensionPointIdentifier to one of them.")
    static let extensionCategory = PayloadRule(
        "extension-category", .fatal,
        why:
            "A content extension is chosen by UNNotificationExtensionCategory, a string or an array of "
            + "strings.",
        cure: "Add it to NSExtensionAttributes.")
    static let extensionRatio = PayloadRule(
        "extension-ratio", .warning,
        why:
            "Without UNNotificationExtensionInitialContentSizeRatio (height by width) the screen jumps "
            + "as it opens.",
        cure: "Add it: the record of a prepared picture has it as sizeRatio.")
    static let extensionTooNew = PayloadRule(
        "extension-too-new", .fatal,
        why:
            "An extension whose deployment target is above the phone's iOS is never started, and "
            + "nothing says so.",
        cure: "Lower the extension's deployment target to the oldest iOS among your users'.")
    static let personalEmail = PayloadRule(
        "personal-email", .warning,
        why: "Payloads pass through Apple's and Google's servers, and alerts are seen on the locked screen.",
        cure: "Send an identifier and a neutral text; let the extension fetch the details.")
    static let personalPhone = PayloadRule(
        "personal-phone", .warning, why: personalEmail.why, cure: personalEmail.cure)
    static let personalCard = PayloadRule(
        "personal-card", .warning, why: personalEmail.why,
        cure: "Never send card numbers; the last four digits are enough.")
    static let personalKey = PayloadRule(
        "personal-key", .warning, why: personalEmail.why, cure: personalEmail.cure)
}
