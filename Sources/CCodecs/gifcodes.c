#include "gifcodes.h"

#define LONGEST_CODE 12

static void clear(ap_gif_bits *bits) {
    bits->code_bits = bits->index_bits + 1;
    bits->reached = (1u << bits->index_bits) + 2;
}

// Sees to the length of the next code: each but the first behind a clear code defines one.
static void follow(ap_gif_bits *bits, uint32_t code) {
    if (code == 1u << bits->index_bits) return clear(bits);
    if (bits->reached > AP_GIF_CODES) return;
    bits->reached++;
    if (bits->reached > 1u << bits->code_bits && bits->code_bits < LONGEST_CODE) bits->code_bits++;
}

void ap_gif_recoding_begin(ap_gif_recoding *recoding, int index_bits, int new_index_bits) {
    *recoding = (ap_gif_recoding){.in.index_bits = index_bits, .out.index_bits = new_index_bits};
    clear(&recoding->in);
    clear(&recoding->out);
}

uint8_t ap_gif_recode(ap_gif_recoding *recoding, int (*next)(void *context, uint8_t *byte), void *context) {
    ap_gif_bits *in = &recoding->in, *out = &recoding->out;
    int count = 0;
    int is_over = 0;
    // A code of twelve bits behind seven that wait makes two bytes.
    while (count + 2 <= (int)sizeof recoding->block && !is_over) {
        uint8_t byte;
        while (!is_over && in->buffered < in->code_bits) {
            if (!next(context, &byte)) {
                is_over = 1;
                break;
            }
            in->buffer |= (uint64_t)byte << in->buffered;
            in->buffered += 8;
        }
        if (!is_over) {
            uint32_t code = (uint32_t)in->buffer & ((1u << in->code_bits) - 1);
            in->buffer >>= in->code_bits;
            in->buffered -= in->code_bits;
            follow(in, code);
            // No table has more than 256 colours: of an index its low bits count. The clear code and those behind it
            // come down to where they are for shorter indices.
            uint32_t first = 1u << in->index_bits, new_first = 1u << out->index_bits;
            code = code < first ? code & (new_first - 1) : code - first + new_first;
            out->buffer |= (uint64_t)code << out->buffered;
            out->buffered += out->code_bits;
            follow(out, code);
        }
        // The last bits are too few for another code.
        while (out->buffered >= 8 || (is_over && out->buffered > 0)) {
            recoding->block[count++] = (uint8_t)out->buffer;
            out->buffer >>= 8;
            out->buffered = out->buffered < 8 ? 0 : out->buffered - 8;
        }
    }
    return recoding->block_bytes = (uint8_t)count;
}
