/// The one part of a file that a request may ask for (RFC 9110, 14.1.2).
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    /// Nothing of it lies in the file.
    case unsatisfiable

    /// Reads a Range header; what we do not know, such as several parts, means the whole file.
    init(_ header: String?, size: Int) {
        self = .whole
        guard let header, header.hasPrefix("bytes=") else { return }
        let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let isGood = parts.allSatisfy { part in
            part.utf8.count <= 18 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isGood else { return }
        switch (Int(parts[0]), Int(parts[1])) {
        case (nil, nil): return
        case (nil, let last?):
            self = last == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - last)..<size)
        case (let first?, let last):
            if let last, last < first { return }
            self = first >= size ? .unsatisfiable : .part(first..<min(size, (last ?? size - 1) + 1))
        }
    }
}
