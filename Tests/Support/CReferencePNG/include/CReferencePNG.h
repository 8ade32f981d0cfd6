// The tests' oracle for PNG: libpng's pull interface, the whole picture at once.
#ifndef CREFERENCEPNG_H
#define CREFERENCEPNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct reference_png {
    uint32_t width, height;
    uint32_t channels;  // 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA
    uint32_t bits;      // 8 or 16
    uint16_t *samples;  // rows from the top, channels interleaved; NULL when the picture is damaged
} reference_png;

// Decodes with png_set_expand and nothing else: palettes to RGB, low depths to 8 bits, tRNS to alpha.
reference_png reference_png_decode(const uint8_t *bytes, size_t count);
void reference_png_free(reference_png *picture);

#endif
