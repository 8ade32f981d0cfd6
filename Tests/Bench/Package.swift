// swift-tools-version: 6.2
import PackageDescription

// Its own package: it measures whole processes from outside and shares no code with what it measures.
let package = Package(
    name: "Bench",
    targets: [
        .executableTarget(
            name: "bench",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .strictMemorySafety(),
            ])
    ]
)
