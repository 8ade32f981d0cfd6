/// The marker codes of ITU-T T.81, table B.1, that a reader must tell apart.
package enum JPEGMarker {
    package static let tem: UInt8 = 0x01
    package static let dht: UInt8 = 0xC4
    package static let jpg: UInt8 = 0xC8
    package static let dac: UInt8 = 0xCC
    package static let soi: UInt8 = 0xD8
    package static let eoi: UInt8 = 0xD9
    package static let sos: UInt8 = 0xDA
    package static let dqt: UInt8 = 0xDB
    package static let dnl: UInt8 = 0xDC
    package static let dri: UInt8 = 0xDD
    package static let app0: UInt8 = 0xE0
    package static let app1: UInt8 = 0xE1
    package static let app2: UInt8 = 0xE2
    package static let app14: UInt8 = 0xEE
    package static let com: UInt8 = 0xFE

    package static func isRestart(_ code: UInt8) -> Bool { code >= 0xD0 && code <= 0xD7 }

    /// SOF0...SOF15 without the three codes of that range that are no frame headers.
    package static func isFrame(_ code: UInt8) -> Bool {
        code >= 0xC0 && code <= 0xCF && code != dht && code != jpg && code != dac
    }

    /// Whether no length and no body follow.
    package static func standsAlone(_ code: UInt8) -> Bool {
        code == soi || code == eoi || code == tem || isRestart(code)
    }

    /// Application data and comments: nothing of them is needed to decode, but for JFIF and Adobe.
    package static func isApplicationData(_ code: UInt8) -> Bool {
        code >= 0xE0 && code <= 0xEF || code == com
    }
}
