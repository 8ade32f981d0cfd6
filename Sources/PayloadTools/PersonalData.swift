internal import MediaTypes

/// Looks for what should not be read by others: addresses, telephone and card numbers.
enum PersonalData {
    /// An e-mail address in a text, if there is one.
    static func hasEmail(_ text: [UInt8]) -> Bool {
        text.indices.contains { index in
            guard text[index] == UInt8(ascii: "@"), index > 0, isNameByte(text[index - 1]) else {
                return false
            }
            let domain = text[(index + 1)...].prefix { isLetterOrDigit($0) || $0 == 0x2E || $0 == 0x2D }
            let labels = domain.split(separator: 0x2E)
            guard labels.count > 1, let last = labels.last, last.count > 1, last.allSatisfy(isLetter) else {
                return false
            }
            // `icon@2x.png` is a file's name.
            let claim = ClaimedExtension("a." + String(decoding: last, as: UTF8.self))
            return !MediaFormat.allCases.contains { $0.claims(claim) }
        }
    }

    /// A telephone number as people write them: `+` and 10 to 15 digits, or the groups of a Russian or
    /// American one.
    static func hasPhone(_ text: [UInt8]) -> Bool {
        groups(in: text, separators: Array(" -().".utf8)).contains { run in
            let digits = run.groups.reduce(0) { $0 + $1.count }
            if run.hasPlus { return (10...15).contains(digits) }
            let lengths = run.groups.map(\.count)
            let isRussian = run.groups.first.map { $0 == [0x37] || $0 == [0x38] } == true
            switch lengths {
            case [1, 3, 3, 2, 2], [1, 3, 3, 4], [1, 3, 7]: return isRussian || run.groups.first == [0x31]
            case [3, 3, 4]: return true
            default: return false
            }
        }
    }

    /// A number with the beginning, the length, the groups and the check digit of a payment card.
    static func hasCard(_ text: [UInt8]) -> Bool {
        groups(in: text, separators: Array(" -".utf8)).contains { run in
            let lengths = run.groups.map(\.count)
            guard lengths.count == 1 || lengths == [4, 4, 4, 4] || lengths == [4, 6, 5] else { return false }
            let digits = run.groups.flatMap { $0.map { Int($0 - 0x30) } }
            return isIssued(digits) && passesLuhn(digits)
        }
    }

    /// Beginnings and lengths of the large schemes (ISO/IEC 7812).
    private static func isIssued(_ digits: [Int]) -> Bool {
        let head = digits.prefix(4).reduce(0) { $0 * 10 + $1 }
        switch (digits.count, head) {
        case (13, 4000...4999), (16, 4000...4999), (19, 4000...4999), (16, 5100...5599), (16, 2200...2720),
            (15, 3400...3499), (15, 3700...3799), (14, 3600...3699), (16...19, 6000...6999):
            return true
        default: return false
        }
    }

    /// ISO/IEC 7812-1, annex B.
    static func passesLuhn(_ digits: [Int]) -> Bool {
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = digit.offset % 2 == 1 ? digit.element * 2 : digit.element
            return sum + (value > 9 ? value - 9 : value)
        }
        return sum % 10 == 0
    }

    private struct Run {
        var hasPlus: Bool
        var groups: [ArraySlice<UInt8>]
    }

    /// Runs of digits with at most two separators between groups, not part of a word.
    private static func groups(in text: [UInt8], separators: [UInt8]) -> [Run] {
        var runs: [Run] = []
        var index = 0
        while index < text.count {
            guard isDigit(text[index]) else {
                index += 1
                continue
            }
            let start = index
            var run = Run(hasPlus: start > 0 && text[start - 1] == UInt8(ascii: "+"), groups: [])
            var end = index
            while index < text.count, isDigit(text[index]), run.groups.count < 8 {
                let group = text[index...].prefix(while: isDigit)
                run.groups.append(group)
                end = group.endIndex
                let gap = text[end...].prefix(2).prefix { separators.contains($0) }
                index = gap.endIndex
            }
            let before = start > 0 ? text[start - 1] : 0x20
            let isWord =
                isNameByte(before) && before != UInt8(ascii: "+") || end < text.count && isLetter(text[end])
            if !isWord { runs.append(run) }
            index = max(end, start + 1)
        }
        return runs
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: isLetterOrDigit(byte) || byte >= 0x80
        }
    }

    /// Names of keys under which people are kept.
    static let keys: Set<String> = [
        "email", "mail", "emailaddress", "phone", "phonenumber", "mobile", "mobilenumber", "msisdn",
        "telephone", "tel",
        "firstname", "lastname", "fullname", "surname", "middlename", "patronymic", "customername",
        "clientname",
        "passport", "passportnumber", "ssn", "snils", "inn", "birthdate", "birthday", "dateofbirth", "dob",
        "iban",
        "cardnumber", "pan", "cvv", "homeaddress", "deliveryaddress", "fio", "фио", "имя", "фамилия",
        "телефон", "почта",
    ]
}

extension PayloadCheck {
    /// At most one finding of a kind: a payload full of them needs no list.
    mutating func checkPersonalData() {
        var seen = Set<String>()
        func once(_ rule: PayloadRule) -> Bool { seen.insert(rule.code).inserted }
        for node in document.nodes.indices {
            let isText = document.kind(node) == .string
            guard isText || document.kind(node) == .number else { continue }
            if let key = document.key(node), PersonalData.keys.contains(ApsKey.folded(key)), isFilled(node),
                once(.personalKey)
            {
                add(.personalKey, "the key \(key) names a person's own", at: node)
            }
            guard document.nodes[node].range.count < 1 << 16 else { continue }
            var text = Array((document.string(node) ?? document.shown(node)).utf8)
            // Numbers in a link's path are identifiers; what people are called stands behind the question
            // mark.
            let isLink = isText && LinkText.isLink(String(decoding: text.prefix(64), as: UTF8.self))
            if isLink { text = Array(text.drop { $0 != UInt8(ascii: "?") }) }
            if PersonalData.hasEmail(text), once(.personalEmail) {
                add(.personalEmail, "there is an e-mail address", at: node)
            }
            guard !isLink else { continue }
            if PersonalData.hasCard(text), once(.personalCard) {
                add(.personalCard, "there is a number with a payment card's check digit", at: node)
            } else if PersonalData.hasPhone(text), once(.personalPhone) {
                add(.personalPhone, "there is a telephone number", at: node)
            }
        }
    }
}
