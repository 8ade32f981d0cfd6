/// The order in which the 64 coefficients of a block lie in memory.
///
/// It is a zigzag order turned on its side: vector `j`, lane `l` (slot 8·j + l) holds zigzag position
/// 16·(l mod 4) + 8·(l div 4) + j. Marking vector `j`'s non-zero lanes with bit `j` then gives, after one
/// shift, a 64-bit mask whose bit numbers *are* zigzag positions, without any instruction that gathers bits.
enum CoefficientOrder {
    /// Slot of a zigzag position.
    @inline(__always)
    static func slot(ofZigzag position: Int) -> Int {
        (position & 7) &* 8 &+ (position &>> 4) &+ ((position &>> 3) & 1) &* 4
    }

    /// Row-major index of each zigzag position (T.81, figure A.6).
    static let naturalOfZigzag: [Int] = {
        var order: [Int] = []
        order.reserveCapacity(64)
        for diagonal in 0..<15 {
            for step in 0...diagonal {
                // Even diagonals run up to the right, odd ones down to the left.
                let row = diagonal % 2 == 0 ? diagonal - step : step
                let column = diagonal - row
                if row < 8, column < 8 { order.append(row * 8 + column) }
            }
        }
        return order
    }()
}
