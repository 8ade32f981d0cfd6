internal import CService

/// Where a request comes from and its answer goes to; valid while it is served.
@safe struct HTTPConnection {
    private let exchange: OpaquePointer
    let socket: Int32

    init(_ exchange: OpaquePointer) {
        unsafe self.exchange = exchange
        socket = unsafe ap_http_socket(exchange)
    }

    /// Whether nothing can reach the client any more.
    ///
    /// That it sends no more says nothing: it may have sent everything, and wait (RFC 9112, 9.6).
    var isGone: Bool { ConnectionWatch.isBroken(socket) }

    /// - Throws: what is wrong with the head.
    func head() throws(HTTPRefusal) -> HTTPRequestHead {
        try unsafe HTTPRequestHead(
            method: String(cString: ap_http_method(exchange)),
            target: String(cString: ap_http_target(exchange)),
            version: String(cString: ap_http_protocol(exchange)), fields: fields)
    }

    private var fields: [HTTPRequestHead.Field] {
        var fields: [HTTPRequestHead.Field] = []
        unsafe withUnsafeMutablePointer(to: &fields) { fields in
            unsafe ap_http_each_header(exchange, fields) { context, name, nameSize, value, valueSize in
                guard let context = unsafe context, let name = unsafe name, let value = unsafe value else {
                    return
                }
                let fields = unsafe context.assumingMemoryBound(to: [HTTPRequestHead.Field].self)
                unsafe fields.pointee.append(
                    HTTPRequestHead.Field(
                        name: UnsafeBufferPointer(start: name, count: nameSize).map(UInt8.init(bitPattern:)),
                        value: UnsafeBufferPointer(start: value, count: valueSize).map(
                            UInt8.init(bitPattern:))))
            }
        }
        return fields
    }

    /// A reader of the request's form; nil where its Content-Type says no boundary.
    func form(_ take: @escaping FormReader.Take) -> FormReader? { unsafe FormReader(exchange, take: take) }

    /// Hands an answer to the library.
    func send(_ answer: HTTPAnswer) -> Bool {
        // All texts in one place, which stays until the library has copied them.
        var joined: [CChar] = []
        var starts: [Int] = []
        for header in answer.headers {
            for text in [header.name, header.value] {
                starts.append(joined.count)
                joined += Array(text.utf8CString)
            }
        }
        return unsafe joined.withUnsafeBufferPointer { texts in
            let names = unsafe starts.map { start in unsafe texts.baseAddress.map { unsafe $0 + start } }
            return unsafe names.withUnsafeBufferPointer { names in
                var own = unsafe ap_http_answer()
                unsafe own.status = UInt32(answer.status)
                unsafe own.headers = names.baseAddress
                unsafe own.header_count = answer.headers.count
                unsafe own.file = -1
                switch answer.body {
                case .bytes(let bytes):
                    return unsafe bytes.withUnsafeBufferPointer { content in
                        unsafe own.bytes = content.baseAddress
                        unsafe own.count = content.count
                        return unsafe ap_http_answer_with(exchange, &own)
                    }
                case .file(let file, let offset, let count):
                    unsafe own.file = file
                    unsafe own.file_offset = UInt64(offset)
                    unsafe own.file_count = UInt64(count)
                    return unsafe ap_http_answer_with(exchange, &own)
                }
            }
        }
    }
}
