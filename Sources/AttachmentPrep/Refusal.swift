internal import Codecs
internal import MediaContainers
internal import MediaTypes

/// The sentences of refusals: what the input is instead, and what its sender should do.
enum Refusal {
    /// What to do about an input that ends early: where what there is of it was asked for, it shows nothing.
    static func endsEarly(_ options: PreparationOptions) -> String {
        options.allowsTruncated
            ? "the input ends before there is anything to show; send it again"
            : "the input ends before the picture does; send it again, or use --allow-truncated"
    }

    /// Why a recognised type is not accepted.
    static func error(_ sniffer: MediaSniffer, picturesOnly: Bool = false) -> PrepError {
        let format = sniffer.format ?? .unknown
        return switch sniffer.rejection ?? .unsupportedFormat {
        case .empty: PrepError(.empty, .sniff, "the input is empty")
        case .unknownFormat:
            PrepError(.unknownFormat, .sniff, "the bytes are of no type we know; send a JPEG or PNG")
        case .unsupportedFormat where format.action == .pass || format.action == .rewrap:
            picturesOnly ? onlyPictures(format) : onlyUnderAPNS(format)
        case .unsupportedFormat:
            PrepError(
                .unsupportedFormat, .sniff, "\(format.rawValue) is not accepted; send a JPEG or PNG",
                detail: format.mimeType)
        case .unsupportedVariant:
            PrepError(
                .unsupportedVariant, .sniff, "this kind of \(format.rawValue) is not accepted",
                detail: format.mimeType)
        case .htmlDocument:
            PrepError(
                .htmlDocument, .sniff,
                "a web page, not a picture: the link may need a login or lead to a viewer")
        case .errorDocument:
            PrepError(
                .errorDocument, .sniff, "a server's error message in a picture's place; check the link",
                detail: format.mimeType)
        }
    }

    /// Why audio and video are refused where a name promises a picture.
    private static func onlyPictures(_ format: MediaFormat) -> PrepError {
        PrepError(
            .unsupportedFormat, .sniff,
            "\(format.rawValue) behind a lazy link, which ends in .jpg; prepare audio and video before sending",
            detail: format.mimeType)
    }

    /// Why audio and video are refused where no profile takes them.
    static func onlyUnderAPNS(_ format: MediaFormat) -> PrepError {
        PrepError(
            .unsupportedFormat, .sniff,
            "\(format.rawValue) passes under the profile apns only; the others take pictures",
            detail: format.mimeType)
    }

    /// Why audio or video does not pass through.
    static func error(_ error: MediaError) -> PrepError {
        switch error.kind {
        case .truncated:
            PrepError(
                .truncated, .decode, "the input ends before its media does; send it again",
                detail: error.detail)
        case .unsupportedVariant:
            PrepError(
                .unsupportedVariant, .decode, "a kind of audio or video that is not accepted",
                detail: error.detail)
        case .overLimit:
            PrepError(
                .overLimit, .output,
                "larger than an attachment of this type may be; send a shorter or smaller one",
                detail: error.detail)
        case .corrupt, .stopped, .unwritable:
            PrepError(.corrupt, .decode, "the file is damaged; send it again", detail: error.detail)
        }
    }

    /// What a decoder's failure means to the sender.
    static func error(_ error: CodecError, _ options: PreparationOptions) -> PrepError {
        switch error.kind {
        case .corrupt:
            PrepError(.corrupt, .decode, "the picture is damaged; send it again", detail: error.detail)
        case .truncated:
            PrepError(.truncated, .decode, endsEarly(options), detail: error.detail)
        case .unsupportedVariant:
            PrepError(
                .unsupportedVariant, .decode,
                "a kind of picture that is not decoded; save it as plain JPEG or PNG",
                detail: error.detail)
        case .tooManyScans:
            PrepError(
                .tooManyScans, .decode,
                options.limits.scans < JPEGSpoolDecoder.mostScans
                    ? "more scans than --max-scans allows; raise it if you trust the input"
                    : "more scans than are decoded; save it with fewer",
                detail: "limit \(min(options.limits.scans, JPEGSpoolDecoder.mostScans))")
        case .tooManyPixels:
            PrepError(
                .tooManyPixels, .admission, "sides this long are not decoded; send a smaller picture",
                detail: error.detail)
        case .memory:
            PrepError(
                .memoryLimit, .decode, "the decoder ran out of the memory it may use", detail: error.detail)
        case .unreadable:
            PrepError(.io, .input, "cannot read the input again", detail: error.detail)
        case .missingLibrary:
            PrepError(
                .unsupportedFormat, .decode, "the library that decodes this type is missing; install it",
                detail: error.detail)
        case .stopped:
            PrepError(.cancelled, .decode, "stopped before it was done")
        }
    }
}
