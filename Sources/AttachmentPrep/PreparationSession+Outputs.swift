internal import Codecs
internal import JPEGCore
internal import MediaTypes
internal import Pixels

// What is made of finished pictures.
extension PreparationSession {
    /// Makes and writes each target's output.
    mutating func write(
        _ bitmaps: consuming [Bitmap], _ copy: [UInt8]?, _ admission: Admission, _ header: ImageHeader
    ) throws(PrepError) {
        let source = writer.needsDigest ? try sourceDigest() : ""
        for target in admission.targets {
            var output = PreparationRecord.Output(profile: target.profile.name, outcome: .prepared)
            do {
                var bitmap = admission.picture(of: target, from: &bitmaps)
                let name = writer.needsDigest ? try RecipeName(source, target.profile, options).text() : ""
                if let animation, passes(target, header) {
                    try place(animation, target, header, name: name, &output)
                    report.outputs.append(output)
                    continue
                }
                try clock.check(.encode)
                var bytes = copy ?? []
                if target.mayPassLossless, let copy, copy.count <= target.maxBytes {
                    output.describe(lossless: header, maxBytes: target.maxBytes)
                } else if let upright = bitmap.take()?.upright(from: admission.orientation) {
                    bytes = try encode(SalientPart(of: consume upright, target), target, header, &output)
                }
                output.bytes = bytes.count
                output.path = try writer.write(
                    bytes.span, format: .jpeg, profile: target.profile, name: name)?.display
            } catch {
                output.fail(error)
            }
            report.outputs.append(output)
        }
        report.concludeFromOutputs()
    }

    /// Encodes a target's picture within its budget.
    private mutating func encode(
        _ part: consuming SalientPart, _ target: Admission.Target, _ header: ImageHeader,
        _ output: inout PreparationRecord.Output
    ) throws(PrepError) -> [UInt8] {
        let fitter = OutputFitter(
            maxBytes: target.maxBytes, minQuality: options.minQuality, maxQuality: options.maxQuality,
            effort: options.effort, progressive: options.progressive, source: header.limit(of: part.shown))
        let fitted = try fitter.fit(part.bitmap, clock: clock)
        output.describe(fitted, maxBytes: target.maxBytes)
        if fitted.isShrunk { warn(.shrunkToFit) }
        return fitted.encoded.bytes
    }

    /// SHA-256 of the source as 64 hexadecimal digits, which the record keeps too; empty where none is needed.
    mutating func sourceDigest() throws(PrepError) -> String {
        guard let digest = digest.take() else { return "" }
        let text = ContentDigest.hex(digest.finish())
        report.sourceDigest = text
        return text
    }
}
