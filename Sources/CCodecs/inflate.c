// zlib's inflate, as much at a time as there is room for.
#if defined(__linux__)

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "CCodecs.h"

struct ap_inflater {
    z_stream stream;
};

static ap_inflater *create(int window_bits) {
    ap_inflater *own = calloc(1, sizeof *own);
    if (!own) return NULL;
    if (inflateInit2(&own->stream, window_bits) != Z_OK) {
        free(own);
        return NULL;
    }
    return own;
}

ap_inflater *ap_inflater_create(void) { return create(MAX_WBITS); }

ap_inflater *ap_inflater_create_gzip(void) { return create(MAX_WBITS + 16); }

void ap_inflater_destroy(ap_inflater *own) {
    if (!own) return;
    inflateEnd(&own->stream);
    free(own);
}

void ap_inflater_reset(ap_inflater *own) { inflateReset(&own->stream); }

ap_status ap_inflater_some(ap_inflater *own, const uint8_t *in, uint32_t *in_count, uint8_t *out,
                          uint32_t *out_count) {
    z_stream *stream = &own->stream;
    stream->next_in = (Bytef *)in;
    stream->avail_in = *in_count;
    stream->next_out = out;
    stream->avail_out = *out_count;
    int result = inflate(stream, Z_SYNC_FLUSH);
    *in_count -= stream->avail_in;
    *out_count -= stream->avail_out;
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: return AP_NEEDS_INPUT;
    case Z_STREAM_END: return AP_FINISHED;
    case Z_MEM_ERROR: return AP_MEMORY;
    default: return AP_CORRUPT;
    }
}

#endif
