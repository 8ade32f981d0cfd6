#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "CReferencePNG.h"

struct state {
    const uint8_t *bytes;
    size_t left;
    png_bytepp rows;
    reference_png picture;
};

static void read_bytes(png_structp reader, png_bytep out, size_t count) {
    struct state *state = png_get_io_ptr(reader);
    if (count > state->left) png_error(reader, "end of file");
    memcpy(out, state->bytes, count);
    state->bytes += count;
    state->left -= count;
}

static void silent(png_structp reader, png_const_charp text) {
    (void)reader;
    (void)text;
}

static void fail(png_structp reader, png_const_charp text) {
    (void)text;
    png_longjmp(reader, 1);
}

// 16-bit samples are big-endian in the rows.
static uint16_t *unpack(const reference_png *picture, png_bytepp rows) {
    size_t row_samples = (size_t)picture->width * picture->channels;
    uint16_t *samples = malloc(row_samples * picture->height * sizeof *samples);
    for (uint32_t y = 0; samples && y < picture->height; y++) {
        for (size_t x = 0; x < row_samples; x++) {
            samples[y * row_samples + x] =
                picture->bits == 16 ? (uint16_t)(rows[y][2 * x] << 8 | rows[y][2 * x + 1]) : rows[y][x];
        }
    }
    return samples;
}

// The caller owns the state, so that a jump leaves it as it was.
static void read_picture(png_structp reader, png_infop info, struct state *state) {
    if (setjmp(png_jmpbuf(reader))) return;
    reference_png *out = &state->picture;
    png_read_info(reader, info);
    png_set_expand(reader);
    png_set_interlace_handling(reader);
    png_read_update_info(reader, info);
    out->width = png_get_image_width(reader, info);
    out->height = png_get_image_height(reader, info);
    out->channels = png_get_channels(reader, info);
    out->bits = png_get_bit_depth(reader, info);
    size_t row_bytes = png_get_rowbytes(reader, info);
    state->rows = png_malloc(reader, out->height * (sizeof(png_bytep) + row_bytes));
    png_bytep data = (png_bytep)(state->rows + out->height);
    for (uint32_t y = 0; y < out->height; y++) state->rows[y] = data + y * row_bytes;
    png_read_image(reader, state->rows);
    png_read_end(reader, NULL);
    out->samples = unpack(out, state->rows);
}

reference_png reference_png_decode(const uint8_t *bytes, size_t count) {
    struct state state = {.bytes = bytes, .left = count};
    png_structp reader = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fail, silent);
    png_infop info = png_create_info_struct(reader);
    png_set_read_fn(reader, &state, read_bytes);
    read_picture(reader, info, &state);
    if (state.rows) png_free(reader, state.rows);
    png_destroy_read_struct(&reader, &info, NULL);
    return state.picture;
}

void reference_png_free(reference_png *picture) {
    free(picture->samples);
    picture->samples = NULL;
}
