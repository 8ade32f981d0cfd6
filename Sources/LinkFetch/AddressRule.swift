#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An address of either family as IPv6 has it: 16 bytes, those of IPv4 mapped (RFC 4291, 2.5.5.2).
struct SocketAddress: Hashable, Sendable {
    let bytes: [UInt8]

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    /// - Parameter bytes: 4 of IPv4 or 16 of IPv6; nil for anything else.
    init?(_ bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self.bytes = Self.mapped + bytes
        case 16: self.bytes = Array(bytes)
        default: return nil
        }
    }

    /// - Parameter text: as inet_pton(3) reads it.
    init?(text: String) {
        var v4 = [UInt8](repeating: 0, count: 4)
        var v6 = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            bytes = Self.mapped + v4
        } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = v6
        } else {
            return nil
        }
    }

    var isIPv4: Bool { bytes.starts(with: Self.mapped) }

    /// The IPv4 address that an IPv6 address carries, by which a network may reach it.
    ///
    /// Of IPv4-compatible addresses (RFC 4291, 2.5.5.1), NAT64's well-known prefix (RFC 6052) and ISATAP's
    /// interface numbers (RFC 5214, 6.1); 6to4's and Teredo's ranges are reserved as a whole.
    var embedded: SocketAddress? {
        guard !isIPv4 else { return nil }
        let head = bytes[..<12]
        let isCompatible =
            head.allSatisfy { $0 == 0 } && bytes[12...] != [0, 0, 0, 0] && bytes[12...] != [0, 0, 0, 1]
        let isNAT64 = head.elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
        let isISATAP = bytes[8] & 0xFC == 0 && bytes[9] == 0 && bytes[10] == 0x5E && bytes[11] == 0xFE
        return isCompatible || isNAT64 || isISATAP ? SocketAddress(bytes[12...]) : nil
    }

    /// `192.0.2.1`, `2001:db8::1`.
    var text: String {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = socklen_t(buffer.count)
        let isKnown =
            isIPv4
            ? unsafe inet_ntop(AF_INET, Array(bytes[12...]), &buffer, count) != nil
            : unsafe inet_ntop(AF_INET6, bytes, &buffer, count) != nil
        guard isKnown else { return "?" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A block of addresses, and one port of them or all: what `--allow-address CIDR[:PORT]` names.
public struct AddressRule: Hashable, Sendable {
    let base: SocketAddress
    /// Leading bits of the 16 bytes that must be equal.
    let bits: Int
    /// Nil for every port.
    let port: UInt16?

    /// Reads `10.0.0.0/8`, `127.0.0.1:8080`, `fd00::/8`, `[::1]:8443` or `[fd00::]/8:8443`; nil for anything else.
    public init?(_ text: String) {
        var rest = text[...]
        var address = rest
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            address = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
        } else {
            // Without brackets a colon before the slash belongs to an IPv6 address, if there are several.
            let isIPv6 = rest.prefix { $0 != "/" }.filter { $0 == ":" }.count > 1
            address = rest.prefix { $0 != "/" && (isIPv6 || $0 != ":") }
            rest = rest[address.endIndex...]
        }
        guard let base = SocketAddress(text: String(address)) else { return nil }
        let most = base.isIPv4 && !address.contains(":") ? 32 : 128
        var length = most
        if rest.first == "/" {
            let digits = rest.dropFirst().prefix { $0 != ":" }
            guard let number = Self.number(digits), number <= most else { return nil }
            length = number
            rest = rest[digits.endIndex...]
        }
        self.base = base
        bits = length + 128 - most
        guard rest.first == ":" else {
            guard rest.isEmpty else { return nil }
            port = nil
            return
        }
        guard let number = Self.number(rest.dropFirst()), (1...65_535).contains(number) else { return nil }
        port = UInt16(number)
    }

    private static func number(_ digits: Substring) -> Int? {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(digits)
    }

    /// Addresses of the rule's own family only: `::/0` is all of IPv6, not IPv4 mapped into it.
    func contains(_ address: SocketAddress) -> Bool {
        guard address.isIPv4 == base.isIPv4 else { return false }
        let whole = bits / 8
        guard address.bytes[..<whole] == base.bytes[..<whole] else { return false }
        let rest = bits % 8
        guard rest > 0 else { return true }
        return (address.bytes[whole] ^ base.bytes[whole]) >> (8 - rest) == 0
    }

    /// The rule in one form, for keys.
    var text: String { "\(base.text)/\(bits)" + (port.map { ":\($0)" } ?? "") }
}
