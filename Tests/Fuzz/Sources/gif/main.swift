internal import Codecs
internal import Decoding

explore { GIFDecoder() }
