/// Whole samples where they lie.
enum Samples {
    /// Bytes of a piece: whole samples of one to eight bytes.
    private static let pieceSize = 840 * 64

    /// Turns the bytes of every sample round.
    static func swap(in output: any MediaOutput, from start: Int, size: Int) throws(MediaError) {
        guard size > 1 else { return }
        try change(in: output, from: start) { piece in
            for first in stride(from: 0, through: piece.count - size, by: size) {
                for i in 0..<(size / 2) { piece.swapAt(first + i, first + size - 1 - i) }
            }
        }
    }

    /// Makes signed samples of one byte unsigned.
    static func offset(in output: any MediaOutput, from start: Int) throws(MediaError) {
        try change(in: output, from: start) { piece in
            for i in piece.indices { piece[i] ^= 0x80 }
        }
    }

    private static func change(
        in output: any MediaOutput, from start: Int, _ body: (inout [UInt8]) -> Void
    ) throws(MediaError) {
        var offset = start
        while offset < output.size {
            var piece = try output.read(at: offset, count: pieceSize)
            if piece.isEmpty { return }
            body(&piece)
            try output.overwrite(at: offset, with: piece)
            offset += piece.count
        }
    }
}
