/// How the samples of a decoder's row are laid out: interleaved channels of 8 or 16 bits, sRGB-encoded.
package struct PixelLayout: Hashable, Sendable {
    package enum Channels: Hashable, Sendable {
        case gray, grayAlpha, rgb, rgba
        /// Inks; `inverted` as Adobe stores them, 255 meaning no ink.
        case cmyk(inverted: Bool)
    }

    package let channels: Channels
    /// 8, or 16 in the machine's byte order.
    package let bitsPerSample: Int

    package init(_ channels: Channels, bitsPerSample: Int = 8) {
        self.channels = channels
        self.bitsPerSample = bitsPerSample
    }

    package var channelCount: Int {
        switch channels {
        case .gray: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba, .cmyk: 4
        }
    }

    /// Bytes from one pixel to the next.
    package var bytesPerPixel: Int { channelCount * bitsPerSample / 8 }

    /// Whether every pixel's red, green and blue are equal by construction; the matte must be grey too.
    package var isGray: Bool { channels == .gray || channels == .grayAlpha }

    /// Whether pixels may be transparent.
    package var hasAlpha: Bool { channels == .grayAlpha || channels == .rgba }

    /// Channels that a picture of such rows needs over a background 0xRRGGBB, which shows where pixels are
    /// transparent or missing: 1 or 3.
    package func channels(over background: UInt32) -> Int {
        let (red, green, blue) = (background >> 16 & 255, background >> 8 & 255, background & 255)
        return isGray && red == green && green == blue ? 1 : 3
    }

    /// Whether samples are inks, to be turned into light.
    package var isInk: Bool { if case .cmyk = channels { true } else { false } }
}
