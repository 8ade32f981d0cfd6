// swift-tools-version: 6.2
import PackageDescription

// Its own package, because everything here is built with libFuzzer's coverage and the address sanitizer; the modules
// of the library lie here as links, so that they are instrumented and their package's own names can be called.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
]

/// The traits of the package, all of them.
let traits = ["GIF", "WebP", "HEIF", "TIFF", "ICC", "Service"]
let settings = strict + traits.map { .define($0) }

let package = Package(
    name: "Fuzz",
    targets: [
        .target(name: "CLate"),
        .target(
            name: "CCodecs", dependencies: ["CLate"],
            cSettings: traits.map { .define("AP_" + $0.uppercased()) },
            linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png16"), .linkedLibrary("z")]),
        .target(name: "MediaTypes", swiftSettings: strict),
        .target(name: "MediaContainers", dependencies: ["MediaTypes"], swiftSettings: strict),
        .target(name: "Pixels", swiftSettings: strict),
        .target(name: "JPEGCore", dependencies: ["Pixels"], swiftSettings: strict),
        .target(
            name: "Codecs", dependencies: ["CCodecs", "JPEGCore", "Pixels", "MediaTypes"],
            swiftSettings: settings),
        .target(
            name: "AttachmentPrep",
            dependencies: ["Codecs", "JPEGCore", "Pixels", "MediaContainers", "MediaTypes"],
            swiftSettings: settings),
        // libFuzzer's entry, which no header of the toolchain declares.
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "flow", dependencies: ["AttachmentPrep", "CFuzzer"], swiftSettings: strict),
        .executableTarget(
            name: "heifboxes", dependencies: ["Codecs", "JPEGCore", "Pixels", "CFuzzer"],
            swiftSettings: strict),
        .executableTarget(
            name: "scans", dependencies: ["JPEGCore", "Pixels", "CFuzzer"], swiftSettings: strict),
        .executableTarget(
            name: "media", dependencies: ["MediaContainers", "MediaTypes", "CFuzzer"], swiftSettings: strict),
        // One pushed decoder each, whole and in pieces.
        .target(
            name: "Decoding", dependencies: ["Codecs", "JPEGCore", "Pixels", "CFuzzer"], swiftSettings: strict
        ),
        .executableTarget(name: "bmp", dependencies: ["Codecs", "Decoding"], swiftSettings: strict),
        .executableTarget(name: "gif", dependencies: ["Codecs", "Decoding"], swiftSettings: settings),
        .executableTarget(name: "webp", dependencies: ["Codecs", "Decoding"], swiftSettings: settings),
        .executableTarget(
            name: "tiff", dependencies: ["Codecs", "JPEGCore", "Pixels", "CFuzzer"], swiftSettings: settings),
    ]
)
