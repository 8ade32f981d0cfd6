internal import Pixels

/// Puts the rows of a frame where they lie on a larger canvas that is transparent elsewhere.
///
/// A class, because C codecs carry it through their callbacks as an opaque context.
final class CanvasRows {
    private let rows: RowPipeline
    private let size: PixelSize
    private let frame: PixelFrame
    /// A row of the canvas, red, green, blue and alpha; beside the frame it stays transparent.
    private var row: [UInt8]
    private var rowsGiven = 0

    /// - Parameter frame: lies inside the canvas.
    init(_ rows: RowPipeline, size: PixelSize, frame: PixelFrame) {
        self.rows = rows
        self.size = size
        self.frame = frame
        row = [UInt8](repeating: 0, count: 4 * size.width)
    }

    /// Bytes it takes.
    static func memoryNeed(width: Int) -> Int { 4 * width }

    /// Takes the frame's next row, RGBA; false asks the decoder to stop.
    func take(_ samples: UnsafeRawPointer) -> Bool {
        guard fill(to: frame.y) else { return false }
        return unsafe row.withUnsafeMutableBytes { row in
            let place = (4 * frame.x)..<(4 * (frame.x + frame.size.width))
            unsafe UnsafeMutableRawBufferPointer(rebasing: row[place])
                .copyMemory(from: UnsafeRawBufferPointer(start: samples, count: place.count))
            guard let base = row.baseAddress else { return false }
            rowsGiven += 1
            return unsafe rows.row(base)
        }
    }

    /// Gives what lies below the frame.
    func finish() -> Bool {
        for i in row.indices { row[i] = 0 }
        return fill(to: size.height)
    }

    private func fill(to y: Int) -> Bool {
        while rowsGiven < y {
            rowsGiven += 1
            let isTaken = unsafe row.withUnsafeBytes { row in
                guard let base = row.baseAddress else { return false }
                return unsafe rows.row(base)
            }
            guard isTaken else { return false }
        }
        return true
    }
}

/// Where a frame lies on its canvas.
struct PixelFrame: Equatable {
    var x = 0
    var y = 0
    var size: PixelSize

    func lies(in canvas: PixelSize) -> Bool {
        x >= 0 && y >= 0 && x + size.width <= canvas.width && y + size.height <= canvas.height
    }
}
