internal import AttachmentPrep
internal import MediaCache

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// JSON of messages and of the spool's files; what cannot be read is an error that says where.
///
/// The only file here that needs a part of Foundation. Its decoder refuses to go deeper than 512 levels.
enum HookJSON {
    static func encode(_ value: some Encodable) throws(PrepError) -> [UInt8] {
        guard let bytes = CacheJSON.encode(value) else {
            throw PrepError(.io, .output, "a record could not be written as JSON")
        }
        return bytes
    }

    /// - Parameter what: the message, for the error's sentence.
    static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], _ what: String
    ) throws(PrepError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw PrepError(
                .invalidPayload, .input, "\(what) is not as it should be", detail: place(of: error))
        }
    }

    /// The keys that lead to the trouble; what stands there may be a secret.
    private static func place(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON" }
        let (context, why): (DecodingError.Context, String)
        switch error {
        case .typeMismatch(_, let found): (context, why) = (found, "is of another type")
        case .valueNotFound(_, let found): (context, why) = (found, "is null")
        case .keyNotFound(let key, let found): (context, why) = (found, "lacks \(key.stringValue)")
        case .dataCorrupted(let found): (context, why) = (found, "is no JSON, or out of range")
        @unknown default: return "it is no JSON"
        }
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return (path.isEmpty ? "the whole" : path.joined(separator: ".")) + " " + why
    }
}
