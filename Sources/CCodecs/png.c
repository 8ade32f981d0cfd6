// libpng's progressive reader: bytes in, rows out by callback.
#if defined(__linux__)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

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
    size_t row_bytes;
    uint32_t rows;      // rows delivered
    uint8_t *frame;     // of an interlaced picture
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
    int interlaced = png_set_interlace_handling(reader) > 1;
    png_read_update_info(reader, info);
    png->header.width = png_get_image_width(reader, info);
    png->header.height = png_get_image_height(reader, info);
    png->header.channels = png_get_channels(reader, info);
    png->header.bits = png_get_bit_depth(reader, info);
    png->row_bytes = png_get_rowbytes(reader, info);
    if (interlaced) {
        png->frame = calloc(png->header.height, png->row_bytes);
        if (!png->frame) leave(png, AP_MEMORY);
    }
}

static void on_row(png_structp reader, png_bytep row, png_uint_32 y, int pass) {
    ap_png *png = png_get_progressive_ptr(reader);
    (void)pass;
    if (png->frame) {
        png_progressive_combine_row(reader, png->frame + (size_t)y * png->row_bytes, row);
        return;
    }
    if (!row) return;
    png->rows++;
    if (png->row(png->context, row)) leave(png, AP_STOPPED);
}

static void deliver_frame(ap_png *png) {
    while (png->frame && png->rows < png->header.height) {
        if (png->row(png->context, png->frame + (size_t)png->rows * png->row_bytes)) leave(png, AP_STOPPED);
        png->rows++;
    }
}

static void on_end(png_structp reader, png_infop info) {
    ap_png *png = png_get_progressive_ptr(reader);
    (void)info;
    // libpng only warns when the data of an interlaced picture ends early or is damaged; behind the last pass is 7.
    int pass = png_get_current_pass_number(reader);
    if (png->frame && pass < 7) {
        snprintf(png->message, sizeof png->message, "the picture data ends in pass %d of 7", pass + 1);
        leave(png, AP_CORRUPT);
    }
    deliver_frame(png);
    if (png->rows < png->header.height) {
        snprintf(png->message, sizeof png->message, "the picture data ends after row %u of %u",
                 (unsigned)png->rows, (unsigned)png->header.height);
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
    free(png->frame);
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

ap_status ap_png_flush(ap_png *png, ap_row_fn row, void *context) {
    if (png->over) return png->status;
    png->row = row;
    png->context = context;
    if (setjmp(png->trap)) return png->status;
    deliver_frame(png);
    png->over = 1;
    png->status = AP_FINISHED;
    return png->status;
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

#endif
