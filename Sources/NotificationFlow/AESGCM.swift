internal import AttachmentPrep

#if canImport(CryptoKit)
    internal import CryptoKit
    internal import Foundation
#else
    internal import CCrypto
#endif

/// AES-256-GCM (NIST SP 800-38D) by the platform's library: CryptoKit, or OpenSSL's libcrypto, loaded when the first
/// sealed payload comes.
enum AESGCM {
    static let keySize = 32

    /// Decrypts what the tag proves to be genuine.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes by rule.
    ///   - tag: 16 bytes.
    ///   - key: 32 bytes.
    /// - Throws: `invalid-payload`.
    static func open(
        sealed: ArraySlice<UInt8>, nonce: ArraySlice<UInt8>, tag: ArraySlice<UInt8>, extra: [UInt8],
        key: [UInt8]
    ) throws(PrepError) -> [UInt8] {
        guard key.count == keySize, tag.count == 16 else { throw refused }
        #if canImport(CryptoKit)
            do {
                let box = try AES.GCM.SealedBox(
                    nonce: AES.GCM.Nonce(data: Data(nonce)), ciphertext: Data(sealed), tag: Data(tag))
                return Array(try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: extra))
            } catch CryptoKitError.authenticationFailure {
                throw forged
            } catch {
                throw refused
            }
        #else
            var plain = [UInt8](repeating: 0, count: sealed.count)
            let end = unsafe sealed.withUnsafeBufferPointer { sealed in
                unsafe nonce.withUnsafeBufferPointer { nonce in
                    unsafe tag.withUnsafeBufferPointer { tag in
                        unsafe ap_gcm_open(
                            key, nonce.baseAddress, nonce.count, extra, extra.count, sealed.baseAddress,
                            sealed.count, tag.baseAddress, &plain)
                    }
                }
            }
            switch end {
            case .opened: return plain
            case .forged: throw forged
            case .failed: throw refused
            case .noLibrary:
                throw PrepError(
                    .io, .input, "cannot load libcrypto.so.3, which sealed payloads need; install libssl3")
            }
        #endif
    }

    private static let forged = PrepError(
        .invalidPayload, .input, "the sealed part of the payload was changed, or sealed with another key")
    private static let refused = PrepError(
        .invalidPayload, .input, "the sealed part of the payload cannot be opened")
}
