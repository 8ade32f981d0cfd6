/// A named target: the box a picture must fit and the bytes it may take.
public struct Profile: Hashable, Sendable {
    /// The word used on the command line and in output names.
    public var name: String
    /// Width of the box in pixels.
    public var width: Int
    /// Height of the box in pixels.
    public var height: Int
    /// How the picture meets the box.
    public var fit: Fit
    /// Ceiling of the output file in bytes.
    public var maxBytes: Int
    /// What the profile is for, in a few words.
    public var purpose: String

    /// How a picture meets the box.
    public enum Fit: String, Hashable, Sendable {
        /// The whole picture, scaled down until it lies inside the box.
        case inside
        /// The part that fills the box and shows most: edges, skin, colours that stand out.
        case fill
    }

    /// Creates a profile of one's own.
    public init(
        name: String, width: Int, height: Int, fit: Fit = .inside, maxBytes: Int, purpose: String = ""
    ) {
        self.name = name
        self.width = width
        self.height = height
        self.fit = fit
        self.maxBytes = maxBytes
        self.purpose = purpose
    }

    /// iOS attachment: Apple's limit is 10 MB, senders recommend at most 1 MB.
    public static let apns = Profile(
        name: "apns", width: 1038, height: 1038, maxBytes: 300_000, purpose: "iOS attachment")
    /// Lock-screen thumbnail.
    public static let thumb = Profile(
        name: "thumb", width: 512, height: 512, maxBytes: 100_000, purpose: "lock-screen thumbnail")
    /// Android BigPicture: hard cap there 1,048,576 bytes.
    public static let fcm = Profile(
        name: "fcm", width: 1024, height: 512, maxBytes: 300_000, purpose: "Android BigPicture")
    /// Huawei Push Kit: under 512 KB.
    public static let huawei = Profile(
        name: "huawei", width: 1024, height: 512, maxBytes: 400_000, purpose: "Huawei Push Kit")
    /// Large icon: the square that shows most.
    public static let icon = Profile(
        name: "icon", width: 192, height: 192, fit: .fill, maxBytes: 50_000, purpose: "large icon")
    /// All built-in profiles, the default first.
    public static let all: [Profile] = [.apns, .thumb, .fcm, .huawei, .icon]

    /// The built-in profile of that name, or nil.
    public init?(named name: String) {
        guard let profile = Self.all.first(where: { $0.name == name }) else { return nil }
        self = profile
    }
}
