internal import Codecs
internal import Decoding

explore(
    { () throws(CodecError) in try GIFDecoder() }, handingOverTo: { GIFSpoolDecoder() })
