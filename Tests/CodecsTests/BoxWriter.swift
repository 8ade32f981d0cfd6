/// Boxes as ISO/IEC 14496-12 writes them.
enum BoxWriter {
    static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }

    static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        return number(content.count + 8, 4) + Array(type.utf8) + content
    }

    static func full(_ type: String, _ version: Int = 0, _ flags: Int = 0, _ content: [UInt8]...) -> [UInt8] {
        box(type, number(version, 1) + number(flags, 3), content.flatMap(\.self))
    }
}

/// The description of some items.
struct HEIFWriter {
    var primary = 1
    var items: [(id: Int, type: String, protection: Int)] = []
    var iloc: [UInt8] = []
    var properties: [[UInt8]] = []
    /// Of an item, indices from 1, negative where essential.
    var associations: [(id: Int, indices: [Int])] = []
    var references: [(type: String, from: Int, to: [Int])] = []
    var itemData: [UInt8] = []
    var handler = "pict"

    /// `iloc` version 1, with fields of 4 bytes.
    mutating func place(_ items: [(id: Int, method: Int, parts: [(Int, Int)])]) {
        iloc = BoxWriter.full(
            "iloc", 1, 0, BoxWriter.number(0x4400, 2) + BoxWriter.number(items.count, 2),
            items.flatMap { item in
                BoxWriter.number(item.id, 2) + BoxWriter.number(item.method, 2) + BoxWriter.number(0, 2)
                    + BoxWriter.number(item.parts.count, 2)
                    + item.parts.flatMap { BoxWriter.number($0.0, 4) + BoxWriter.number($0.1, 4) }
            })
    }

    var meta: [UInt8] {
        let entries = items.map { item in
            BoxWriter.full(
                "infe", 2, 0, BoxWriter.number(item.id, 2) + BoxWriter.number(item.protection, 2),
                Array(item.type.utf8) + [0])
        }
        let links = associations.map { item in
            BoxWriter.number(item.id, 2) + [UInt8(item.indices.count)]
                + item.indices.map { $0 < 0 ? UInt8(128 - $0) : UInt8($0) }
        }
        let lists = references.map { reference in
            BoxWriter.box(
                reference.type, BoxWriter.number(reference.from, 2),
                BoxWriter.number(reference.to.count, 2), reference.to.flatMap { BoxWriter.number($0, 2) })
        }
        return BoxWriter.full(
            "meta", 0, 0, BoxWriter.full("hdlr", 0, 0, [0, 0, 0, 0], Array(handler.utf8), [0]),
            BoxWriter.full("pitm", 0, 0, BoxWriter.number(primary, 2)),
            BoxWriter.full("iinf", 0, 0, BoxWriter.number(items.count, 2), entries.flatMap(\.self)),
            iloc, BoxWriter.full("iref", 0, 0, lists.flatMap(\.self)),
            BoxWriter.box(
                "iprp", BoxWriter.box("ipco", properties.flatMap(\.self)),
                BoxWriter.full("ipma", 0, 0, BoxWriter.number(links.count, 4), links.flatMap(\.self))),
            BoxWriter.box("idat", itemData))
    }

    var file: [UInt8] { Self.fileType + meta }

    static let fileType = BoxWriter.box("ftyp", Array("heic".utf8), [0, 0, 0, 0], Array("mif1heic".utf8))
}
