internal import Codecs
internal import Decoding

explore(
    { () throws(CodecError) in try WebPDecoder() },
    spooled: { () throws(CodecError) in try WebPSpoolDecoder() })
