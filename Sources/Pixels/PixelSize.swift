package struct PixelSize: Hashable, Sendable {}
