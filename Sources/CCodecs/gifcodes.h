// Private: codes of a GIF whose indices have nine bits or more, made into such that giflib takes. ImageMagick and Pillow
// show them, but giflib refuses indices that no table of colours has.
#ifndef AP_GIFCODES_H
#define AP_GIFCODES_H

#include <stdint.h>

// Codes that a table holds (GIF 89a, appendix F).
#define AP_GIF_CODES 4096

typedef struct ap_gif_bits {
    int index_bits;    // of an index
    int code_bits;     // of the next code
    uint32_t reached;  // one more than the codes there can be
    uint64_t buffer;
    int buffered;
} ap_gif_bits;

typedef struct ap_gif_recoding {
    ap_gif_bits in, out;
    uint8_t source_left;  // bytes left of the file's block
    uint8_t block[255];   // what giflib gets
    uint8_t block_bytes;
} ap_gif_recoding;

void ap_gif_recoding_begin(ap_gif_recoding *recoding, int index_bits, int new_index_bits);

// Makes the next block from bytes of the file's, which `next` gives, or answers 0 at their end; says the block's length,
// 0 at the end.
uint8_t ap_gif_recode(ap_gif_recoding *recoding, int (*next)(void *context, uint8_t *byte), void *context);

#endif
