/// Finds the part of a small picture that shows most of what it is about: edges, skin, and colours that stand out.
///
/// The part has a given size and moves along one axis. All arithmetic is on integers, so every machine finds the same
/// place, and a picture mirrored left to right has its crop mirrored. Where nothing stands out, or several places are
/// as good, it is the one nearest to the middle.
package struct SalientCrop {
    /// Along the axis the crop moves on: what there is to see in each line of cells across it.
    private let lines: [Int]
    /// How far below the crop's middle the best place for things is, in 256ths of half its length.
    private let lift: Int

    /// Places that are tried at most: half a percent of the way lies between two.
    private static let mostPlaces = 200

    /// Looks at a picture.
    ///
    /// - Parameter movesAcross: whether crops of it move sideways, else they move up and down.
    private init(_ picture: Bitmap, movesAcross: Bool) {
        lines = InterestGrid(picture).lines(movesAcross: movesAcross)
        // What a picture is about stands on something, and heads are above: so much room is left over them.
        lift = movesAcross ? 0 : Self.headroom
    }

    /// Where the best crop begins: its left and upper pixel.
    ///
    /// - Parameter size: of the crop, no larger than the picture. Where it is smaller in both directions, it moves in the
    ///   one that leaves it more room, and is centred in the other.
    package static func origin(of size: PixelSize, in picture: Bitmap) -> (x: Int, y: Int) {
        let roomAcross = max(0, picture.size.width - size.width)
        let roomDown = max(0, picture.size.height - size.height)
        guard roomAcross > 0 || roomDown > 0, size.area > 0 else { return (0, 0) }
        let movesAcross = roomAcross >= roomDown
        let crop = SalientCrop(picture, movesAcross: movesAcross)
        return movesAcross
            ? (crop.place(of: size.width, in: picture.size.width), roomDown / 2)
            : (roomAcross / 2, crop.place(of: size.height, in: picture.size.height))
    }

    /// Bytes that finding a place in a picture takes besides it.
    package static func memoryNeed(_ picture: PixelSize) -> Int { InterestGrid.memoryNeed(picture) }

    /// Where a crop of `length` pixels begins in a picture of `whole`.
    private func place(of length: Int, in whole: Int) -> Int {
        let room = whole - length
        let steps = min(room, Self.mostPlaces)
        var best = (place: room / 2, score: -1, offset: 0)
        for step in 0...steps {
            // Rounded so that the way from the far end is the same.
            let place = 2 * step <= steps ? room * step / steps : room - room * (steps - step) / steps
            let offset = abs(2 * place - room)
            let score = score(place, length, whole) * (100 * room - offset * Self.bias)
            if score > best.score || score == best.score && offset < best.offset {
                best = (place, score, offset)
            }
        }
        // Nothing to see anywhere.
        return best.score > 0 ? best.place : room / 2
    }

    /// What a crop shows: each line counts the more, the nearer to the best place in the crop it lies.
    private func score(_ place: Int, _ length: Int, _ whole: Int) -> Int {
        let reach = length * lines.count
        let middle = (2 * place + length) * lines.count
        let best = middle + reach * lift / 256
        var sum = 0
        for i in lines.indices where lines[i] > 0 {
            // Twice the place of the line's middle, in units of a pixel over the count of lines.
            let line = (2 * i + 1) * whole
            guard abs(line - middle) < reach else { continue }
            let share = abs(line - best) * Self.unit / reach
            sum += lines[i] * max(0, Self.unit * Self.unit - share * share)
        }
        return sum
    }

    /// Half a crop's length, as a distance from its middle.
    private static let unit = 64
    /// How much less a crop at the picture's end counts than one in its middle, in percent.
    private static let bias = 20
    /// In 256ths of half a crop's length.
    private static let headroom = 60
}
