// libpng's progressive reader: bytes in, rows out by callback.
#if defined(__linux__)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

#include "CCodecs.h"

struct ap_png {
    png_structp reader;
    png_infop info;
    jmp_buf trap;
    int over;
    ap_status status;
    ap_row_fn row;      // valid during a push only
    void *context;
    ap_png_header header;
    uint64_t rows;      // rows delivered, of all passes
    uint64_t rows_due;
    int32_t oddities;
    char message[200];
};

static void leave(ap_png *png, ap_status status) {
    png->over = 1;
    png->status = status;
    longjmp(png->trap, 1);
}

static void on_error(png_structp reader, png_const_charp text) {
    ap_png *png = png_get_error_ptr(reader);
    snprintf(png->message, sizeof png->message, "%s", text);
    leave(png, strstr(text, "emory") ? AP_MEMORY : AP_CORRUPT);
}

static void on_warning(png_structp reader, png_const_charp text) {
    ap_png *png = png_get_error_ptr(reader);
    (void)text;
    png->oddities++;
}

static void on_info(png_structp reader, png_infop info) {
    ap_png *png = png_get_progressive_ptr(reader);
    png_set_expand(reader);
    if (png_get_bit_depth(reader, info) == 16) {
        const uint16_t probe = 1;
        if (*(const uint8_t *)&probe == 1) png_set_swap(reader);
    }
    // Without png_set_interlace_handling the reader hands over each pass's own rows, and needs no frame.
    png_read_update_info(reader, info);
    png->header.width = png_get_image_width(reader, info);
    png->header.height = png_get_image_height(reader, info);
    png->header.channels = png_get_channels(reader, info);
    png->header.bits = png_get_bit_depth(reader, info);
    png->rows_due = png->header.height;
    if (png_get_interlace_type(reader, info) == PNG_INTERLACE_NONE) return;
    png->rows_due = 0;
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
        if (PNG_PASS_COLS(png->header.width, pass) > 0) {
            png->rows_due += PNG_PASS_ROWS(png->header.height, pass);
        }
    }
}

static void on_row(png_structp reader, png_bytep row, png_uint_32 y, int pass) {
    ap_png *png = png_get_progressive_ptr(reader);
    (void)y;
    (void)pass;
    if (!row) return;
    png->rows++;
    if (png->row(png->context, row)) leave(png, AP_STOPPED);
}

static void on_end(png_structp reader, png_infop info) {
    ap_png *png = png_get_progressive_ptr(reader);
    (void)info;
    if (png->rows < png->rows_due) {
        snprintf(png->message, sizeof png->message, "the picture data ends after row %llu of %llu",
                 (unsigned long long)png->rows, (unsigned long long)png->rows_due);
        leave(png, AP_CORRUPT);
    }
    png->over = 1;
    png->status = AP_FINISHED;
}

ap_png *ap_png_create(void) {
    ap_png *png = calloc(1, sizeof *png);
    if (!png) return NULL;
    if (setjmp(png->trap)) {
        ap_png_destroy(png);
        return NULL;
    }
    png->reader = png_create_read_struct(PNG_LIBPNG_VER_STRING, png, on_error, on_warning);
    if (png->reader) png->info = png_create_info_struct(png->reader);
    if (!png->info) {
        ap_png_destroy(png);
        return NULL;
    }
    // Pixels and memory were judged from the header before; libpng's own 1,000,000 a side is not our limit.
    png_set_user_limits(png->reader, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_progressive_read_fn(png->reader, png, on_info, on_row, on_end);
    return png;
}

void ap_png_destroy(ap_png *png) {
    if (!png) return;
    if (png->reader) png_destroy_read_struct(&png->reader, png->info ? &png->info : NULL, NULL);
    free(png);
}

ap_status ap_png_push(ap_png *png, const uint8_t *bytes, size_t count, ap_row_fn row, void *context) {
    if (png->over) return png->status;
    png->row = row;
    png->context = context;
    if (setjmp(png->trap)) return png->status;
    png_process_data(png->reader, png->info, (png_bytep)bytes, count);
    return png->over ? png->status : AP_NEEDS_INPUT;
}

int32_t ap_png_has_transparency(const ap_png *png) {
    png_bytep alpha;
    png_color_16p color;
    int count = 0;
    png_get_tRNS(png->reader, png->info, &alpha, &count, &color);
    return count > 0;
}

void ap_png_get_header(const ap_png *png, ap_png_header *out) { *out = png->header; }
const char *ap_png_message(const ap_png *png) { return png->message; }
int32_t ap_png_oddities(const ap_png *png) { return png->oddities; }
const char *ap_png_version(void) { return PNG_LIBPNG_VER_STRING; }


ptrdiff_t ap_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity) {
    z_stream stream = {.next_in = (Bytef *)bytes, .next_out = out};
    if (count > UINT32_MAX || capacity > UINT32_MAX || inflateInit(&stream) != Z_OK) return -1;
    stream.avail_in = (uInt)count;
    stream.avail_out = (uInt)capacity;
    int status = inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return -1;
    return (ptrdiff_t)(capacity - stream.avail_out);
}

#endif
