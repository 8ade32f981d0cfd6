#if canImport(CryptoKit)
    internal import CryptoKit
#elseif canImport(Glibc)
    internal import Glibc
#endif

/// SHA-256 of what is pushed in, by the platform's own library.
///
/// On Linux that is OpenSSL's libcrypto, loaded when the first digest is made: most jobs never need one, and
/// an idle process should not pay for it.
@safe struct ContentDigest: ~Copyable {
    #if canImport(CryptoKit)
        private var hash = SHA256()

        init() throws(PrepError) {}

        mutating func update(_ bytes: Span<UInt8>) {
            unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        }

        consuming func finish() -> [UInt8] { Array(hash.finalize()) }
    #else
        // Safety: made in init, freed in deinit, used by one thread at a time.
        private let context: OpaquePointer
        private let crypto: LibCrypto

        init() throws(PrepError) {
            guard let crypto = LibCrypto.shared, let context = unsafe crypto.new() else {
                throw PrepError(
                    .io, .output, "cannot load libcrypto.so.3, which hashed names need; install libssl3")
            }
            _ = unsafe crypto.begin(context, crypto.sha256(), nil)
            unsafe self.context = context
            self.crypto = crypto
        }

        deinit { unsafe crypto.free(context) }

        mutating func update(_ bytes: Span<UInt8>) {
            unsafe bytes.withUnsafeBytes { _ = unsafe crypto.update(context, $0.baseAddress, $0.count) }
        }

        consuming func finish() -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: 32)
            unsafe digest.withUnsafeMutableBufferPointer {
                _ = unsafe crypto.end(context, $0.baseAddress, nil)
            }
            return digest
        }
    #endif

    /// Lower-case hexadecimal digits.
    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

#if !canImport(CryptoKit)
    /// The six functions of libcrypto's EVP interface that a digest needs.
    @safe private final class LibCrypto: @unchecked Sendable {
        typealias New = @convention(c) () -> OpaquePointer?
        typealias Free = @convention(c) (OpaquePointer?) -> Void
        typealias Algorithm = @convention(c) () -> OpaquePointer?
        typealias Begin = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
        typealias Update = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> Int32
        typealias End =
            @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?)
            -> Int32

        let new: New
        let free: Free
        let sha256: Algorithm
        let begin: Begin
        let update: Update
        let end: End

        /// Loaded once, never unloaded; nil where the library is missing.
        static let shared = LibCrypto()

        private init?() {
            guard let library = unsafe dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL),
                let new = unsafe dlsym(library, "EVP_MD_CTX_new"),
                let free = unsafe dlsym(library, "EVP_MD_CTX_free"),
                let sha256 = unsafe dlsym(library, "EVP_sha256"),
                let begin = unsafe dlsym(library, "EVP_DigestInit_ex"),
                let update = unsafe dlsym(library, "EVP_DigestUpdate"),
                let end = unsafe dlsym(library, "EVP_DigestFinal_ex")
            else { return nil }
            // The signatures are those of OpenSSL 3's evp.h.
            unsafe self.new = unsafeBitCast(new, to: New.self)
            unsafe self.free = unsafeBitCast(free, to: Free.self)
            unsafe self.sha256 = unsafeBitCast(sha256, to: Algorithm.self)
            unsafe self.begin = unsafeBitCast(begin, to: Begin.self)
            unsafe self.update = unsafeBitCast(update, to: Update.self)
            unsafe self.end = unsafeBitCast(end, to: End.self)
        }
    }
#endif
