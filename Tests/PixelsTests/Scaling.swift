import Foundation
import Pixels
import TestSupport

/// Pushes rows through a pipeline with one scaler.
func scale(
    _ rows: [UInt8], _ layout: PixelLayout, width: Int, region: SourceRegion, to size: PixelSize,
    channels: Int = 3, background: UInt32 = 0xFFFFFF
) -> Bitmap {
    let scaler = RowScaler(source: region, size: size, channels: channels)
    let pipeline = RowPipeline(layout: layout, width: width, background: background, scalers: [scaler])
    push(rows, width * layout.bytesPerPixel, into: pipeline)
    return pipeline.finish()[0]
}

/// Pushes rows of `rowBytes` each until the pipeline asks to stop.
@discardableResult
func push(_ rows: [UInt8], _ rowBytes: Int, into pipeline: RowPipeline) -> Bool {
    unsafe rows.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: rowBytes) {
            guard let base = bytes.baseAddress, unsafe pipeline.row(base + start) else { return false }
        }
        return true
    }
}

extension SourceRegion {
    /// All of a picture.
    init(_ width: Int, _ height: Int) {
        self.init(
            x: 0, y: 0, width: Double(width), height: Double(height), usable: PixelSize(width, height))
    }
}

/// The definition of the scaler in floating point, from the formulas: Lanczos-3 stretched by the reduction, taps
/// outside the usable samples dropped and the others normalised, in the linear light of IEC 61966-2-1.
struct ReferenceScaler {
    var region: SourceRegion
    var size: PixelSize

    /// 8-bit samples in, levels 0...255 out, not rounded.
    func scale(_ samples: [UInt8], width: Int, channels: Int) -> [Double] {
        let light = samples.map { Self.light(Double($0) / 255) }
        let columns = taps(region.x, region.width, region.usable.width, size.width)
        let rows = taps(region.y, region.height, region.usable.height, size.height)
        var narrow: [Double] = []
        for y in 0..<region.usable.height {
            for column in columns {
                for c in 0..<channels {
                    narrow.append(
                        column.reduce(0) { $0 + $1.weight * light[(y * width + $1.index) * channels + c] })
                }
            }
        }
        let rowCount = size.width * channels
        return rows.flatMap { row in
            (0..<rowCount).map { i in
                Self.level(row.reduce(0) { $0 + $1.weight * narrow[$1.index * rowCount + i] })
            }
        }
    }

    private func taps(
        _ origin: Double, _ extent: Double, _ usable: Int, _ count: Int
    ) -> [[(index: Int, weight: Double)]] {
        let step = extent / Double(count)
        let stretch = max(step, 1)
        return (0..<count).map { i in
            let center = origin + (Double(i) + 0.5) * step - 0.5
            let raw = (0..<usable).map { (index: $0, weight: Self.lanczos((Double($0) - center) / stretch)) }
            let sum = raw.reduce(0) { $0 + $1.weight }
            return raw.filter { $0.weight != 0 }.map { ($0.index, $0.weight / sum) }
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= 3 { return 0 }
        return sin(.pi * x) / (.pi * x) * sin(.pi * x / 3) / (.pi * x / 3)
    }

    static func light(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func level(_ light: Double) -> Double {
        let clipped = min(max(light, 0), 1)
        return 255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * pow(clipped, 1 / 2.4) - 0.055)
    }
}

/// The largest distance between two lists of levels, which must be of one length.
func largestDifference(_ samples: [UInt8], _ levels: [Double]) -> Double {
    guard samples.count == levels.count else { return .infinity }
    return zip(samples, levels).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
}
