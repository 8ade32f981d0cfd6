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

/// The formats behind traits that are fuzzed here.
let traits: [SwiftSetting] = [.define("HEIF")]

let package = Package(
    name: "Fuzz",
    targets: [
        .target(
            name: "CCodecs", cSettings: [.define("AP_HEIF")],
            linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png16"), .linkedLibrary("z")]),
        .target(name: "MediaTypes", swiftSettings: strict),
        .target(name: "Pixels", swiftSettings: strict),
        .target(name: "JPEGCore", dependencies: ["Pixels"], swiftSettings: strict),
        .target(
            name: "Codecs", dependencies: ["CCodecs", "JPEGCore", "Pixels", "MediaTypes"],
            swiftSettings: strict + traits),
        .target(name: "MediaContainers", dependencies: ["MediaTypes"], swiftSettings: strict),
        .target(
            name: "AttachmentPrep",
            dependencies: ["Codecs", "JPEGCore", "Pixels", "MediaContainers", "MediaTypes"],
            swiftSettings: strict + traits),
        // libFuzzer's entry, which no header of the toolchain declares.
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "flow", dependencies: ["AttachmentPrep", "CFuzzer"], swiftSettings: strict),
        .executableTarget(
            name: "heifboxes", dependencies: ["Codecs", "JPEGCore", "Pixels", "CFuzzer"], swiftSettings: strict),
        .executableTarget(
            name: "scans", dependencies: ["JPEGCore", "Pixels", "CFuzzer"], swiftSettings: strict),
    ]
)
