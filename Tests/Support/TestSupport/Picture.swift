/// An 8-bit picture as PNM knows it: 1 or 3 channels, interleaved, rows from the top.
package struct Picture: Equatable, Sendable {
    package var width: Int
    package var height: Int
    package var channels: Int
    package var samples: [UInt8]

    package init(width: Int, height: Int, channels: Int, samples: [UInt8]) {
        self.width = width
        self.height = height
        self.channels = channels
        self.samples = samples
    }

    /// Reads binary PGM or PPM with the maximum 255.
    package init?(pnm bytes: [UInt8]) {
        var at = 2
        var numbers: [Int] = []
        while numbers.count < 3, at < bytes.count {
            let digits = bytes[at...].drop { $0 < 48 || $0 > 57 }.prefix { $0 >= 48 && $0 <= 57 }
            guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
            numbers.append(number)
            at = digits.endIndex
        }
        guard numbers.count == 3, numbers[2] == 255, bytes.first == 0x50 else { return nil }
        let channels = bytes[1] == 0x35 ? 1 : 3
        let samples = Array(bytes.dropFirst(at + 1))
        guard samples.count == numbers[0] * numbers[1] * channels else { return nil }
        self.init(width: numbers[0], height: numbers[1], channels: channels, samples: samples)
    }

    package var pnm: [UInt8] {
        Array("P\(channels == 1 ? 5 : 6)\n\(width) \(height)\n255\n".utf8) + samples
    }

    /// Soft colour waves with hard edges and a little noise: something of all that codecs meet.
    package static func waves(_ width: Int, _ height: Int, channels: Int = 3, seed: UInt64 = 1) -> Picture {
        var generator = SeededGenerator(seed: seed)
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * channels)
        for y in 0..<height {
            for x in 0..<width {
                for c in 0..<channels {
                    let wave = (x * (7 + 3 * c) + y * (11 - 4 * c)) % 510
                    let edge = (x / 9 + y / 7 + c) % 5 == 0 ? 70 : 0
                    let level = abs(wave - 255) / 2 + edge + Int.random(in: 0...20, using: &generator)
                    samples.append(UInt8(min(level, 255)))
                }
            }
        }
        return Picture(width: width, height: height, channels: channels, samples: samples)
    }
}
