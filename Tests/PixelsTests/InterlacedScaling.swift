import Pixels

/// The rows of each pass, taken from the rows of the whole picture.
func interlaced(_ rows: [UInt8], _ pixelBytes: Int, _ size: PixelSize) -> [[[UInt8]]] {
    Interlace(adam7: size).passes.map { pass in
        (0..<pass.size.height).map { row in
            (0..<pass.size.width).flatMap { column in
                let pixel = (pass.top + row * pass.down) * size.width + pass.left + column * pass.across
                return rows[(pixel * pixelBytes)..<((pixel + 1) * pixelBytes)]
            }
        }
    }
}

func interlacedPipeline(
    _ layout: PixelLayout, _ source: PixelSize, _ plans: [(SourceRegion, PixelSize)], channels: Int,
    background: UInt32 = 0x404040
) -> RowPipeline {
    let interlace = Interlace(adam7: source)
    return RowPipeline(
        layout: layout, width: source.width, background: background,
        scalers: plans.map {
            RowScaler(source: $0.0, size: $0.1, channels: channels, interlace: interlace)
        }, interlace: interlace)
}

/// Scales a picture whose rows come pass by pass, only the first `count` of them; what is missing is filled.
func scaleInterlaced(
    _ rows: [UInt8], _ layout: PixelLayout, _ source: PixelSize, _ region: SourceRegion, to size: PixelSize,
    channels: Int = 3, background: UInt32 = 0x404040, count: Int = .max
) -> Bitmap {
    let pipeline = interlacedPipeline(
        layout, source, [(region, size)], channels: channels, background: background)
    for row in interlaced(rows, layout.bytesPerPixel, source).joined().prefix(count) {
        push(row, row.count, into: pipeline)
    }
    pipeline.fill(to: source.height)
    return pipeline.finish()[0]
}
