// A record read back from its JSON: caches and processes that work for others hand records on.

internal import MediaTypes

extension PreparationRecord: Decodable {
    /// Reads the record's JSON object; words of a later version are an error, warnings apart.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        self.init(
            input: try object.decode(String.self, forKey: .input),
            outcome: try object.word(Outcome.self, .outcome))
        inputBytes = try object.decodeIfPresent(String.self, forKey: .inputBytes)
            .flatMap { Base64.decode($0.utf8) }
        outputs = try object.decode([Output].self, forKey: .outputs)
        source = try object.decodeIfPresent(Source.self, forKey: .source)
        memory = try object.decodeIfPresent(Memory.self, forKey: .memory)
        warnings = try object.decode([String].self, forKey: .warnings).compactMap(Warning.init)
        error = try object.decodeIfPresent(PrepError.self, forKey: .error)
        elapsedSeconds = try object.decode(Double.self, forKey: .elapsedSeconds)
    }
}

extension PreparationRecord.Output: Decodable {
    /// Reads the output's JSON object.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        self.init(
            profile: try object.decode(String.self, forKey: .profile),
            outcome: try object.word(Outcome.self, .outcome))
        path = try object.decodeIfPresent(String.self, forKey: .path)
        url = try object.decodeIfPresent(String.self, forKey: .url)
        format = try object.optionalWord(MediaFormat.self, .format)
        bytes = try object.decodeIfPresent(Int.self, forKey: .bytes)
        width = try object.decodeIfPresent(Int.self, forKey: .width)
        height = try object.decodeIfPresent(Int.self, forKey: .height)
        encoding = try object.decodeIfPresent(PreparationRecord.Encoding.self, forKey: .encoding)
        error = try object.decodeIfPresent(PrepError.self, forKey: .error)
        isMPEG1 = try object.decodeIfPresent(String.self, forKey: .fileExtension) != format?.fileExtension
    }
}

extension PreparationRecord.Encoding: Decodable {
    /// Reads the encoding's JSON object.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        self.init(
            maxBytes: try object.decode(Int.self, forKey: .maxBytes),
            quality: try object.decodeIfPresent(Double.self, forKey: .quality),
            subsampling: try object.decode(String.self, forKey: .subsampling),
            limitedBy: try object.word(Limit.self, .limitedBy))
    }
}

extension PreparationRecord.Source: Decodable {
    /// Reads the source's JSON object.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        self.init(format: try object.word(MediaFormat.self, .format))
        claimedExtension = try object.decodeIfPresent(String.self, forKey: .claimedExtension)
        typeMismatch = try object.decode(Bool.self, forKey: .typeMismatch)
        bytes = try object.decode(Int.self, forKey: .bytes)
        width = try object.decodeIfPresent(Int.self, forKey: .width)
        height = try object.decodeIfPresent(Int.self, forKey: .height)
        orientation = try object.decodeIfPresent(Int.self, forKey: .orientation)
        animated = try object.decodeIfPresent(Bool.self, forKey: .animated)
    }
}

extension PreparationRecord.Memory: Decodable {
    /// Reads the pair's JSON object.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        self.init(
            need: try object.decode(Int.self, forKey: .need),
            limit: try object.decode(Int.self, forKey: .limit))
    }
}

extension PrepError: Decodable {
    /// Reads the error's JSON object.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        self.init(
            try object.word(Code.self, .code), try object.word(Stage.self, .stage),
            try object.decode(String.self, forKey: .message),
            detail: try object.decodeIfPresent(String.self, forKey: .detail))
    }
}

extension KeyedDecodingContainer {
    /// A word of a closed list.
    fileprivate func word<W: RawRepresentable<String>>(_: W.Type, _ key: Key) throws -> W {
        let text = try decode(String.self, forKey: key)
        guard let word = W(rawValue: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "there is no word '\(text)'")
        }
        return word
    }

    fileprivate func optionalWord<W: RawRepresentable<String>>(_ type: W.Type, _ key: Key) throws -> W? {
        try decodeNil(forKey: key) ? nil : word(type, key)
    }
}
