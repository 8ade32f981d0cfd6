// The record's JSON shape: every key is always there, null where it does not apply.

internal import MediaTypes

extension PreparationRecord: Encodable {
    enum Key: String, CodingKey {
        case schema, input, inputBytes, outcome, outputs, source, memory, warnings, error, elapsedSeconds
    }

    /// Writes the record's JSON object.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(Self.schema, forKey: .schema)
        try object.encode(input, forKey: .input)
        if let inputBytes { try object.encode(Base64.encode(inputBytes), forKey: .inputBytes) }
        try object.encode(outcome.rawValue, forKey: .outcome)
        try object.encode(outputs, forKey: .outputs)
        try object.encode(source, forKey: .source)
        try object.encode(memory, forKey: .memory)
        try object.encode(warnings.map(\.rawValue), forKey: .warnings)
        try object.encode(error, forKey: .error)
        try object.encode((elapsedSeconds * 1e6).rounded() / 1e6, forKey: .elapsedSeconds)
    }
}

extension PreparationRecord.Output: Encodable {
    enum Key: String, CodingKey {
        case profile, outcome, path, url, format, typeHint, mimeType, fileExtension, bytes, width, height
        case sizeRatio, encoding, error
    }

    /// Writes the output's JSON object.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(profile, forKey: .profile)
        try object.encode(outcome.rawValue, forKey: .outcome)
        try object.encode(path, forKey: .path)
        try object.encode(url, forKey: .url)
        try object.encode(format?.rawValue, forKey: .format)
        try object.encode(typeHint, forKey: .typeHint)
        try object.encode(format?.mimeType, forKey: .mimeType)
        try object.encode(fileExtension, forKey: .fileExtension)
        try object.encode(bytes, forKey: .bytes)
        try object.encode(width, forKey: .width)
        try object.encode(height, forKey: .height)
        try object.encode(sizeRatio.map { ($0 * 1e4).rounded() / 1e4 }, forKey: .sizeRatio)
        try object.encode(encoding, forKey: .encoding)
        try object.encode(error, forKey: .error)
    }
}

extension PreparationRecord.Encoding: Encodable {
    enum Key: String, CodingKey { case maxBytes, quality, subsampling, limitedBy }

    /// Writes the encoding's JSON object.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(maxBytes, forKey: .maxBytes)
        try object.encode(quality.map { ($0 * 10).rounded() / 10 }, forKey: .quality)
        try object.encode(subsampling, forKey: .subsampling)
        try object.encode(limitedBy.rawValue, forKey: .limitedBy)
    }
}

extension PreparationRecord.Source: Encodable {
    enum Key: String, CodingKey {
        case format, claimedExtension, typeMismatch, bytes, width, height, orientation, animated
    }

    /// Writes the source's JSON object.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(format.rawValue, forKey: .format)
        try object.encode(claimedExtension, forKey: .claimedExtension)
        try object.encode(typeMismatch, forKey: .typeMismatch)
        try object.encode(bytes, forKey: .bytes)
        try object.encode(width, forKey: .width)
        try object.encode(height, forKey: .height)
        try object.encode(orientation, forKey: .orientation)
        try object.encode(animated, forKey: .animated)
    }
}

extension PreparationRecord.Memory: Encodable {
    enum Key: String, CodingKey { case need, limit }

    /// Writes the pair's JSON object.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(need, forKey: .need)
        try object.encode(limit, forKey: .limit)
    }
}

extension PrepError: Encodable {
    enum Key: String, CodingKey { case code, stage, message, detail }

    /// Writes the error's JSON object.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(code.rawValue, forKey: .code)
        try object.encode(stage.rawValue, forKey: .stage)
        try object.encode(message, forKey: .message)
        try object.encode(detail, forKey: .detail)
    }
}
