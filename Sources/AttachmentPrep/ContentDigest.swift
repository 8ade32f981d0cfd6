#if canImport(CryptoKit)
    internal import CryptoKit
#elseif canImport(Glibc)
    internal import Glibc
#endif

/// SHA-256 of what is pushed in, by the platform's own library.
///
/// On Linux that is Nettle, loaded when the first digest is made: most jobs never need one, and an idle process
/// should not pay for it. (OpenSSL's libcrypto would cost 3.5 MB.)
@safe package struct ContentDigest: ~Copyable {
    #if canImport(CryptoKit)
        private var hash = SHA256()

        package init() throws(PrepError) {}

        package mutating func update(_ bytes: Span<UInt8>) {
            unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        }

        package consuming func finish() -> [UInt8] { Array(hash.finalize()) }
    #else
        // Safety: allocated in init as large as the library says, freed in deinit, used by one thread at a time.
        private let state: UnsafeMutableRawPointer
        private let sha256: NettleSHA256

        package init() throws(PrepError) {
            guard let sha256 = NettleSHA256.shared else {
                throw PrepError(
                    .io, .output, "cannot load libnettle.so.8, which hashed names need; install libnettle8")
            }
            self.sha256 = sha256
            unsafe state = .allocate(byteCount: sha256.stateSize, alignment: 16)
            unsafe sha256.begin(state)
        }

        deinit { unsafe state.deallocate() }

        package mutating func update(_ bytes: Span<UInt8>) {
            unsafe bytes.withUnsafeBytes { unsafe sha256.update(state, $0.count, $0.baseAddress) }
        }

        package consuming func finish() -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: 32)
            unsafe digest.withUnsafeMutableBytes { unsafe sha256.end(state, $0.count, $0.baseAddress) }
            return digest
        }
    #endif

    /// SHA-256 of some bytes.
    package static func sha256(_ bytes: some Sequence<UInt8>) throws(PrepError) -> [UInt8] {
        var digest = try ContentDigest()
        let bytes = Array(bytes)
        digest.update(bytes.span)
        return digest.finish()
    }

    /// Lower-case hexadecimal digits.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

#if !canImport(CryptoKit)
    /// Nettle's description of SHA-256: `struct nettle_hash` of nettle-meta.h, which carries the size of the state
    /// and the three functions a digest needs.
    @safe private final class NettleSHA256: @unchecked Sendable {
        typealias Begin = @convention(c) (UnsafeMutableRawPointer) -> Void
        typealias Update = @convention(c) (UnsafeMutableRawPointer, Int, UnsafeRawPointer?) -> Void
        typealias End = @convention(c) (UnsafeMutableRawPointer, Int, UnsafeMutableRawPointer?) -> Void

        let stateSize: Int
        let begin: Begin
        let update: Update
        let end: End

        /// Loaded once, never unloaded; nil where the library is missing.
        static let shared = NettleSHA256()

        private init?() {
            // const char *name; unsigned context_size, digest_size, block_size; then init, update and digest.
            let word = MemoryLayout<UInt>.size
            let functions = (word + 3 * 4 + word - 1) / word * word
            guard let library = unsafe dlopen("libnettle.so.8", RTLD_NOW | RTLD_LOCAL),
                let hash = unsafe dlsym(library, "nettle_sha256"),
                unsafe hash.load(fromByteOffset: word + 4, as: UInt32.self) == 32
            else { return nil }
            stateSize = unsafe Int(hash.load(fromByteOffset: word, as: UInt32.self))
            unsafe begin = hash.load(fromByteOffset: functions, as: Begin.self)
            unsafe update = hash.load(fromByteOffset: functions + word, as: Update.self)
            unsafe end = hash.load(fromByteOffset: functions + 2 * word, as: End.self)
        }
    }
#endif
