import MediaTypes
import Testing

/// What names claim.
@Suite struct ClaimedExtensionTests {
    @Test(
        arguments: [
            ("photo.jpg", "jpg"), ("/a.b/IMG_0001.HEIC", "heic"), ("a.tar.gz", "gz"), ("photo.jpg.", "jpg"),
            ("photo.jpg...", "jpg"), ("..jpg", nil), (".jpg", nil), (".hidden.png", "png"), ("photo", nil),
            ("photo.", nil),
            ("dir.d/photo", nil), ("", nil), (".", nil), ("..", nil), ("/", nil), ("a.jpg/", nil),
            ("a.0123456789abcdef", "0123456789abcdef"), ("a.0123456789abcdefg", nil), ("a.jp g", nil),
            ("a.jpé", nil),
            ("a.jpg?x=1", nil), ("a.MP4", "mp4"), ("a.3GP", "3gp"), ("a b.Png", "png"), ("a.-", nil),
        ] as [(String, String?)])
    func text(_ path: String, _ text: String?) {
        #expect(ClaimedExtension(path).text == text)
    }

    @Test(
        arguments: [
            (.jpeg, ["jpg", "jpeg", "JPE", "jfif"]), (.tiff, ["tif", "tiff"]), (.png, ["png", "apng"]),
            (.apng, ["png", "apng"]), (.heic, ["heic", "heif", "hif", "heics"]),
            (.heif, ["heic", "heif", "hif", "heics"]), (.mp4, ["mp4", "m4v"]), (.m4v, ["mp4", "m4v"]),
            (.mpegPS, ["mpg", "mpeg"]), (.mpegES, ["m2v", "m1v", "mpg", "mpeg"]), (.aiff, ["aif", "aiff"]),
            (.gif, ["gif"]),
            (.threeGP, ["3gp", "3g2"]), (.unknown, ["jpg", "dat"]),
        ] as [(MediaFormat, [String])])
    func equalNames(_ format: MediaFormat, _ names: [String]) {
        for name in names { #expect(ClaimedExtension("x." + name).matches(format), "\(name)") }
        #expect(ClaimedExtension("x").matches(format))
    }

    @Test(
        arguments: [
            (.jpeg, ["png", "jp", "jp2", "php", "tif"]), (.png, ["jpg"]), (.heic, ["avif", "jpg"]),
            (.avif, ["heic"]),
            (.mp4, ["m4a", "mov", "mpg"]), (.m4a, ["mp4", "mp3"]), (.mpegPS, ["m2v", "m1v"]),
            (.aifc, ["aiff"]),
            (.html, ["jpg"]),
        ] as [(MediaFormat, [String])])
    func otherNames(_ format: MediaFormat, _ names: [String]) {
        for name in names { #expect(!ClaimedExtension("x." + name).matches(format), "\(name)") }
    }
}
