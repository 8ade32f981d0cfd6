/// The part of a picture that a square thumbnail should show, in shares of its upright width and height.
public struct ClippingRect: Hashable, Sendable {
    /// Left edge, 0...1 of the picture's width.
    public let x: Double
    /// Upper edge, 0...1 of the picture's height.
    public let y: Double
    /// Width, 0...1 of the picture's.
    public let width: Double
    /// Height, 0...1 of the picture's.
    public let height: Double

    /// Creates a rectangle from shares of width and height.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}
