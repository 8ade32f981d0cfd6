// giflib, led to one image of a file whose blocks were walked before, and read a line at a time.
//
// giflib makes some index of a code that stands for nothing, and of a line that breaks off it does not say how much is
// there. So the codes are counted first, which it hands out too, and lines are asked for as far as the count goes.
#if defined(__linux__) && defined(AP_GIF)

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

#include "CCodecs.h"
#include "CLate.h"
#include "gifcodes.h"

#define FUNCTIONS(X)                                                                                        \
    X(DGifOpen) X(DGifCloseFile) X(DGifGetRecordType) X(DGifGetImageDesc) X(DGifGetLine) X(DGifGetLZCodes)  \
    X(GifErrorString)
FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libgif.so.7", symbols);

// Bits of an index, as giflib reads them at most, and as other decoders do.
#define MOST_INDEX_BITS 8
#define LONGEST_INDEX_BITS 11

struct ap_gif {
    GifFileType *gif;
    ap_gif_place where;
    ap_read_fn read;
    void *context;
    uint64_t place;      // of the next byte that giflib gets
    uint8_t left;        // bytes it has not got yet of a block of codes
    int32_t index_bits;
    bool failed;         // the input could not be read
    int error;           // giflib's last
    // Bytes of the input, which giflib asks for one by one.
    uint64_t window_start;
    size_t window_count;
    uint8_t window[16384];
    // The count of what the codes stand for.
    uint64_t indices;
    bool is_counted;
    uint32_t next;       // the code that is defined next
    int32_t previous;    // the code before; -1 behind a clear code
    uint16_t length[AP_GIF_CODES];
    // Codes of longer indices, made into such that giflib reads.
    ap_gif_recoding recoding;
};

// The file. ------------------------------------------------------------------------------------------------------

static bool fetch(ap_gif *own, uint8_t *out, size_t count) {
    while (count > 0) {
        if (own->place < own->window_start || own->place - own->window_start >= own->window_count) {
            ptrdiff_t got = own->read(own->context, own->place, own->window, sizeof own->window);
            own->window_start = own->place;
            own->window_count = got > 0 ? (size_t)got : 0;
            // What is asked for was there when the blocks were walked.
            if (got <= 0) {
                own->failed = true;
                return false;
            }
        }
        size_t from = (size_t)(own->place - own->window_start);
        size_t part = own->window_count - from < count ? own->window_count - from : count;
        memcpy(out, own->window + from, part);
        own->place += part;
        out += part;
        count -= part;
    }
    return true;
}

// The length of the next block of codes as far as it is there; where the input ends the codes end.
static uint8_t block_length(ap_gif *own) {
    uint8_t length = 0;
    if (own->place >= own->where.size || !fetch(own, &length, 1)) return 0;
    uint64_t rest = own->where.size - own->place;
    return length < rest ? length : (uint8_t)rest;
}

static int next_code_byte(void *context, uint8_t *byte) {
    ap_gif *own = context;
    if (own->recoding.source_left == 0) own->recoding.source_left = block_length(own);
    if (own->recoding.source_left == 0) return 0;
    own->recoding.source_left--;
    return fetch(own, byte, 1);
}

// giflib asks for a block's length, and then for all of the block.
static bool read_codes(ap_gif *own, uint8_t *out, size_t count) {
    bool is_recoded = own->index_bits > MOST_INDEX_BITS;
    if (own->left == 0) {
        own->left = is_recoded ? ap_gif_recode(&own->recoding, next_code_byte, own) : block_length(own);
        *out = own->left;
        return !own->failed;
    }
    if (count > own->left) return false;
    if (is_recoded) {
        memcpy(out, own->recoding.block + own->recoding.block_bytes - own->left, count);
    } else if (!fetch(own, out, count)) {
        return false;
    }
    own->left -= (uint8_t)count;
    return true;
}

static int gif_read(GifFileType *gif, GifByteType *out, int count) {
    ap_gif *own = gif->UserData;
    if (count <= 0) return 0;
    if (own->place > own->where.index_bits) return read_codes(own, out, (size_t)count) ? count : 0;
    bool is_index_bits = own->place == own->where.index_bits;
    if (!fetch(own, out, (size_t)count)) return 0;
    if (is_index_bits) {
        own->index_bits = *out;
        if (*out > MOST_INDEX_BITS && *out <= LONGEST_INDEX_BITS) {
            ap_gif_recoding_begin(&own->recoding, *out, MOST_INDEX_BITS);
            *out = MOST_INDEX_BITS;
        }
    }
    return count;
}

// Life. ----------------------------------------------------------------------------------------------------------

bool ap_gif_load(void) { return ap_late_load(&library); }

const char *ap_gif_version(void) {
#define TEXT(x) #x
#define WORD(x) TEXT(x)
    // The library does not say which one it is; its header does.
    static const char version[] = WORD(GIFLIB_MAJOR) "." WORD(GIFLIB_MINOR) "." WORD(GIFLIB_RELEASE);
    return ap_late_load(&library) ? version : NULL;
}

ap_gif *ap_gif_create(ap_read_fn read, void *context, ap_gif_place where) {
    ap_gif *own = calloc(1, sizeof *own);
    if (!own) return NULL;
    own->read = read;
    own->context = context;
    own->where = where;
    return own;
}

static void close_gif(ap_gif *own) {
    if (own->gif) late_DGifCloseFile(own->gif, NULL);
    own->gif = NULL;
}

void ap_gif_destroy(ap_gif *own) {
    if (!own) return;
    close_gif(own);
    free(own);
}

static ap_status failure(ap_gif *own, int error) {
    own->error = error;
    return error == D_GIF_ERR_NOT_ENOUGH_MEM ? AP_MEMORY : AP_CORRUPT;
}

ap_status ap_gif_open(ap_gif *own) {
    close_gif(own);
    own->place = 0;
    own->left = 0;
    own->is_counted = false;
    int error = 0;
    own->gif = late_DGifOpen(own, gif_read, &error);
    if (!own->gif) return failure(own, error);
    // What lies between the screen and the image was walked, and giflib would stop at stray bytes there.
    own->place = own->where.image;
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    if (late_DGifGetRecordType(own->gif, &type) != GIF_OK || type != IMAGE_DESC_RECORD_TYPE
        || late_DGifGetImageDesc(own->gif) != GIF_OK) {
        return failure(own, own->gif->Error);
    }
    return AP_NEEDS_INPUT;
}

// Pixels. --------------------------------------------------------------------------------------------------------

static uint32_t clear_code(const ap_gif *own) {
    return 1u << (own->index_bits < MOST_INDEX_BITS ? own->index_bits : MOST_INDEX_BITS);
}

static void count_begin(ap_gif *own) {
    uint32_t clear = clear_code(own);
    for (uint32_t code = 0; code < clear; code++) own->length[code] = 1;
    own->indices = 0;
    own->next = clear + 2;
    own->previous = -1;
    own->is_counted = true;
}

// Counts what one code stands for; false for a code that stands for nothing.
static bool count_code(ap_gif *own, uint32_t code, uint32_t clear) {
    if (code == clear) {
        own->next = clear + 2;
        own->previous = -1;
        return true;
    }
    // Behind a clear code only an index means something; else the code that is about to be defined does too.
    if (own->previous < 0 ? code >= clear : code > own->next) return false;
    if (own->previous >= 0 && own->next < AP_GIF_CODES) {
        own->length[own->next] = (uint16_t)(own->length[own->previous] + 1);
        own->next++;
    }
    own->previous = (int32_t)code;
    own->indices += own->length[code];
    return true;
}

ap_status ap_gif_count(ap_gif *own, uint64_t most, uint32_t codes, uint64_t *indices) {
    if (!own->is_counted) count_begin(own);
    uint32_t clear = clear_code(own);
    while (own->indices < most && codes > 0) {
        codes--;
        int code = -1;
        bool is_there = late_DGifGetLZCodes(own->gif, &code) == GIF_OK && code >= 0;
        if (own->failed) return failure(own, D_GIF_ERR_READ_FAILED);
        *indices = own->indices;
        // The codes end by themselves, or with their blocks.
        if (!is_there) return AP_FINISHED;
        // giflib would go on with some index, so it has no words for this.
        if (code >= AP_GIF_CODES || !count_code(own, (uint32_t)code, clear)) return failure(own, D_GIF_SUCCEEDED);
    }
    *indices = own->indices < most ? own->indices : most;
    return own->indices < most ? AP_NEEDS_INPUT : AP_FINISHED;
}

ap_status ap_gif_read_line(ap_gif *own, uint8_t *line, size_t count) {
    // Of 0 giflib would make the image's width.
    if (count == 0 || count > INT_MAX) return failure(own, D_GIF_ERR_DATA_TOO_BIG);
    if (late_DGifGetLine(own->gif, line, (int)count) == GIF_OK) return AP_NEEDS_INPUT;
    return failure(own, own->gif->Error);
}

bool ap_gif_has_failed(const ap_gif *own) { return own->failed; }

const char *ap_gif_message(const ap_gif *own) {
    const char *text = late_GifErrorString(own->error);
    return text ? text : "a code that stands for nothing";
}

#endif
