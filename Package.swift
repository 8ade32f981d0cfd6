// swift-tools-version: 6.2
import PackageDescription

// Strict settings for every Swift target. `Lifetimes` is still experimental: a rename touches this list only.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

let linux = BuildSettingCondition.when(platforms: [.linux])

// Apple's module of that name is nowhere but on Apple's systems: elsewhere a stand-in of the same shape lets the glue
// of service extensions be built and tested.
#if os(Linux)
    let standIns: [Target.Dependency] = ["UserNotifications"]
    let standInTargets: [Target] = [
        .target(name: "UserNotifications", path: "Tests/Support/UserNotifications", swiftSettings: strict)
    ]
#else
    let standIns: [Target.Dependency] = []
    let standInTargets: [Target] = []
#endif

let package = Package(
    name: "AttachmentPrep",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "AttachmentPrep", targets: ["AttachmentPrep", "MediaTypes"]),
        .library(name: "MediaCache", targets: ["MediaCache", "LinkFetch"]),
        .library(name: "NotificationFlow", targets: ["NotificationFlow", "RichNotifications"]),
        .executable(name: "attachprep", targets: ["attachprep"]),
    ],
    traits: [
        .trait(name: "GIF", description: "Decode GIF through giflib."),
        .trait(name: "WebP", description: "Decode WebP through libwebp."),
        .trait(name: "HEIF", description: "Decode HEIC and AVIF through libde265 and dav1d."),
        .trait(name: "TIFF", description: "Decode TIFF through libtiff."),
        .trait(name: "ICC", description: "Convert colours through lcms2."),
        .trait(name: "Service", description: "Links, cache and the upload hook's HTTP service."),
        .default(enabledTraits: ["GIF", "WebP", "HEIF", "TIFF", "ICC", "Service"]),
    ],
    targets: standInTargets + [
        // The whole C surface: thin shims, one file a codec, no codec header visible to Swift.
        // Formats behind a trait are loaded at run time (CLate), so their libraries are not linked.
        .target(
            name: "CCodecs", dependencies: ["CLate"],
            cSettings: strictC + [
                .define("AP_GIF", .when(traits: ["GIF"])),
                .define("AP_WEBP", .when(traits: ["WebP"])),
                .define("AP_HEIF", .when(traits: ["HEIF"])),
                .define("AP_TIFF", .when(traits: ["TIFF"])),
                .define("AP_ICC", .when(traits: ["ICC"])),
            ],
            linkerSettings: [
                .linkedLibrary("jpeg", linux),
                .linkedLibrary("png16", linux),
                .linkedLibrary("z", linux),
            ]),
        .target(name: "CLate", cSettings: strictC),
        // libcurl, loaded when the first link comes.
        .target(
            name: "CNet", dependencies: ["CLate"],
            cSettings: strictC + [.define("AP_SERVICE", .when(traits: ["Service"]))]),
        .target(name: "MediaTypes", swiftSettings: strict),
        .target(name: "Pixels", swiftSettings: strict),
        .target(name: "JPEGCore", dependencies: ["Pixels"], swiftSettings: strict),
        .target(
            name: "Codecs", dependencies: ["CCodecs", "JPEGCore", "Pixels", "MediaTypes"],
            swiftSettings: strict),
        .target(name: "MediaContainers", dependencies: ["MediaTypes"], swiftSettings: strict),
        .target(
            name: "AttachmentPrep",
            dependencies: ["Codecs", "JPEGCore", "Pixels", "MediaContainers", "MediaTypes"],
            swiftSettings: strict),
        .target(
            name: "LinkFetch", dependencies: ["AttachmentPrep", "CCodecs", "CNet"], swiftSettings: strict),
        .target(
            name: "MediaCache", dependencies: ["AttachmentPrep", "LinkFetch", "MediaTypes"],
            swiftSettings: strict),
        // AES-GCM of OpenSSL, loaded when a sealed payload comes.
        .target(name: "CCrypto", dependencies: ["CLate"], cSettings: strictC),
        // A service extension's work for each notification.
        .target(
            name: "NotificationFlow",
            dependencies: ["AttachmentPrep", "CCrypto", "LinkFetch", "MediaCache", "MediaTypes"],
            swiftSettings: strict),
        // The same under Apple's UserNotifications, in a few lines.
        .target(
            name: "RichNotifications",
            dependencies: ["AttachmentPrep", "LinkFetch", "NotificationFlow"] + standIns,
            swiftSettings: strict),
        // A whole extension, built so that it stays one; for people to read.
        .target(
            name: "ServiceExtensionSample",
            dependencies: [
                "AttachmentPrep", "LinkFetch", "MediaCache", "NotificationFlow", "RichNotifications",
            ]
                + standIns,
            path: "Samples/ServiceExtension", exclude: ["Info.plist", "push.json"], swiftSettings: strict),
        // iOS, a network and a server, played for the notification flow; for the command line.
        .target(
            name: "FlowSimulator",
            dependencies: [
                "AttachmentPrep", "CService", "LinkFetch", "MediaCache", "MediaTypes", "NotificationFlow",
                "PayloadTools",
            ],
            swiftSettings: strict),
        // What senders get wrong about payloads, and the links in them put right.
        .target(
            name: "PayloadTools", dependencies: ["AttachmentPrep", "LinkFetch", "MediaTypes"],
            swiftSettings: strict),
        // What a media server's messages mean, and the queue on the disk they end in.
        .target(
            name: "UploadHook", dependencies: ["AttachmentPrep", "CNet", "MediaCache"], swiftSettings: strict),
        // libmicrohttpd, loaded when a service starts, and decoder processes.
        .target(
            name: "CService", dependencies: ["CLate"],
            cSettings: strictC + [.define("AP_SERVICE", .when(traits: ["Service"]))]),
        .target(
            name: "UploadService",
            dependencies: ["AttachmentPrep", "CService", "MediaCache", "MediaTypes"],
            swiftSettings: strict),
        .executableTarget(
            name: "attachprep",
            dependencies: [
                "AttachmentPrep", "CService", "FlowSimulator", "LinkFetch", "MediaCache", "MediaTypes",
                "PayloadTools", "UploadHook", "UploadService",
            ],
            swiftSettings: strict,
            // The toolchain's own linker, and relocations in a tenth of the space (glibc 2.36 reads them): 1 MB less
            // resident of every process. Packages that depend on this one may not use unsafe flags, but only the
            // library's count there.
            linkerSettings: [
                .unsafeFlags(["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"], linux)
            ]),
        // Oracles and tools of the tests; in no product.
        .target(
            name: "CReferencePNG", path: "Tests/Support/CReferencePNG",
            linkerSettings: [.linkedLibrary("png16", linux)]),
        // A program because Tests/Peers/run starts it; nobody who depends on the package sees it.
        .executableTarget(
            name: "cache-load", dependencies: ["AttachmentPrep", "MediaCache", "MediaTypes"],
            path: "Tests/Support/CacheLoad", swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: strict),
        .testTarget(name: "PixelsTests", dependencies: ["Pixels", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "CodecsTests",
            dependencies: [
                "CCodecs", "CReferencePNG", "Codecs", "JPEGCore", "MediaTypes", "Pixels", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "JPEGReadingTests", dependencies: ["JPEGCore", "Pixels", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AttachmentPrepTests",
            dependencies: ["attachprep", "AttachmentPrep", "Codecs", "MediaTypes", "Pixels", "TestSupport"],
            swiftSettings: strict),
        // libjpeg's own reading of a file, for tests to compare with.
        .target(
            name: "CJPEGOracle", path: "Tests/Support/CJPEGOracle",
            linkerSettings: [.linkedLibrary("jpeg", linux)]),
        .testTarget(
            name: "ProgressiveTests",
            dependencies: [
                "CJPEGOracle", "JPEGCore", "Codecs", "AttachmentPrep", "Pixels", "MediaTypes", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "JPEGCoreTests", dependencies: ["CJPEGOracle", "JPEGCore", "Pixels", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "MediaCacheTests",
            dependencies: ["AttachmentPrep", "LinkFetch", "MediaCache", "MediaTypes", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "attachprep", "AttachmentPrep", "FlowSimulator", "LinkFetch", "MediaCache", "MediaTypes",
                "PayloadTools", "TestSupport", "UploadHook",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "UploadHookTests",
            dependencies: ["AttachmentPrep", "MediaCache", "TestSupport", "UploadHook"], swiftSettings: strict
        ),
        .testTarget(
            name: "NotificationFlowTests",
            dependencies: [
                "AttachmentPrep", "LinkFetch", "MediaCache", "MediaTypes", "NotificationFlow",
                "RichNotifications", "TestSupport",
            ] + standIns,
            swiftSettings: strict),
        .testTarget(
            name: "PayloadToolsTests",
            dependencies: ["AttachmentPrep", "MediaTypes", "PayloadTools", "TestSupport"],
            swiftSettings: strict),
        // Links, fetched by the real program from a real nginx.
        .testTarget(
            name: "LinkTests", dependencies: ["attachprep", "AttachmentPrep", "TestSupport"],
            swiftSettings: strict),
        // The service, asked over HTTP.
        .testTarget(
            name: "UploadServiceTests",
            dependencies: ["attachprep", "AttachmentPrep", "TestSupport", "UploadService"],
            swiftSettings: strict),
        .testTarget(
            name: "TIFFTests", dependencies: ["Codecs", "JPEGCore", "Pixels", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "MediaTypesTests", dependencies: ["MediaTypes"], swiftSettings: strict),
        .testTarget(
            name: "MediaContainersTests", dependencies: ["MediaContainers", "MediaTypes"],
            swiftSettings: strict),
    ]
)
