// libjpeg-turbo behind a push interface: a suspending source, rows out by callback.
#if defined(__linux__)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "jpegstate.h"

// Errors and warnings. -----------------------------------------------------------------------------------------

static void on_error(j_common_ptr info) {
    ap_jpeg *jpeg = info->client_data;
    info->err->format_message(info, jpeg->message);
    longjmp(jpeg->trap, 1);
}

static int is_oddity(int code) {
    switch (code) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:  // "Invalid SOS parameters", as Samsung's cameras write them
        return 1;
    default:
        return 0;
    }
}

static void on_message(j_common_ptr info, int level) {
    ap_jpeg *jpeg = info->client_data;
    if (level >= 0) return;
    info->err->num_warnings++;
    if (is_oddity(info->err->msg_code)) {
        jpeg->oddities++;
    } else if (jpeg->damage++ == 0) {
        info->err->format_message(info, jpeg->message);
    }
}

static void on_output(j_common_ptr info) { (void)info; }

static ap_status status_of(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
        return AP_MEMORY;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:  // a side over 65,500, which the format allows
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
        return AP_UNSUPPORTED;
    default:
        return AP_CORRUPT;
    }
}

ap_status ap_jpeg_end(ap_jpeg *jpeg, ap_status status) {
    jpeg->phase = PHASE_OVER;
    jpeg->over = status;
    return status;
}

ap_status ap_jpeg_end_with_error(ap_jpeg *jpeg) { return ap_jpeg_end(jpeg, status_of(jpeg->errors.msg_code)); }

// The suspending source: what libjpeg leaves unread is kept in front of the next bytes. --------------------------

static void source_nothing(j_decompress_ptr info) { (void)info; }

static boolean source_suspend(j_decompress_ptr info) {
    (void)info;
    return FALSE;
}

static void source_skip(j_decompress_ptr info, long count) {
    ap_jpeg *jpeg = info->client_data;
    if (count <= 0) return;
    size_t here = (size_t)count < jpeg->source.bytes_in_buffer ? (size_t)count : jpeg->source.bytes_in_buffer;
    jpeg->source.next_input_byte += here;
    jpeg->source.bytes_in_buffer -= here;
    jpeg->skip = (size_t)count - here;
}

static int append(ap_jpeg *jpeg, const uint8_t *bytes, size_t count) {
    size_t gone = jpeg->skip < count ? jpeg->skip : count;
    jpeg->skip -= gone;
    bytes += gone;
    count -= gone;
    size_t left = jpeg->source.bytes_in_buffer;
    if (left + count > jpeg->kept_capacity) {
        uint8_t *larger = malloc(left + count);
        if (!larger) return 0;
        if (left) memcpy(larger, jpeg->source.next_input_byte, left);
        free(jpeg->kept);
        jpeg->kept = larger;
        jpeg->kept_capacity = left + count;
    } else if (left) {
        memmove(jpeg->kept, jpeg->source.next_input_byte, left);
    }
    if (count) memcpy(jpeg->kept + left, bytes, count);
    jpeg->source.next_input_byte = jpeg->kept;
    jpeg->source.bytes_in_buffer = left + count;
    return 1;
}

// Life. ----------------------------------------------------------------------------------------------------------

ap_jpeg *ap_jpeg_create(void) {
    ap_jpeg *jpeg = calloc(1, sizeof *jpeg);
    if (!jpeg) return NULL;
    jpeg->info.err = jpeg_std_error(&jpeg->errors);
    jpeg->errors.error_exit = on_error;
    jpeg->errors.emit_message = on_message;
    jpeg->errors.output_message = on_output;
    jpeg->info.client_data = jpeg;
    if (setjmp(jpeg->trap)) {
        jpeg_destroy_decompress(&jpeg->info);
        free(jpeg);
        return NULL;
    }
    jpeg_create_decompress(&jpeg->info);
    jpeg->source.init_source = source_nothing;
    jpeg->source.fill_input_buffer = source_suspend;
    jpeg->source.skip_input_data = source_skip;
    jpeg->source.resync_to_restart = jpeg_resync_to_restart;
    jpeg->source.term_source = source_nothing;
    jpeg->info.src = &jpeg->source;
    return jpeg;
}

void ap_jpeg_destroy(ap_jpeg *jpeg) {
    if (!jpeg) return;
    jpeg_destroy_decompress(&jpeg->info);
    free(jpeg->kept);
    free(jpeg->row);
    free(jpeg);
}

// Decoding. ------------------------------------------------------------------------------------------------------

ap_status ap_jpeg_deliver_rows(ap_jpeg *jpeg, ap_row_fn row, void *context) {
    struct jpeg_decompress_struct *info = &jpeg->info;
    JSAMPROW rows[1] = {jpeg->row};
    while (info->output_scanline < info->output_height) {
        if (jpeg_read_scanlines(info, rows, 1) == 0) return AP_NEEDS_INPUT;
        if (row(context, jpeg->row)) return ap_jpeg_end(jpeg, AP_STOPPED);
    }
    jpeg->phase = PHASE_ENDING;
    return AP_NEEDS_INPUT;
}

static ap_status advance(ap_jpeg *jpeg, ap_row_fn row, void *context) {
    struct jpeg_decompress_struct *info = &jpeg->info;
    if (jpeg->phase == PHASE_HEADER) {
        if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) return AP_NEEDS_INPUT;
        jpeg->phase = PHASE_READY;
    }
    if (jpeg->phase == PHASE_READY) return AP_HEADER;
    if (jpeg->phase == PHASE_STARTING) {
        if (!jpeg_start_decompress(info)) return AP_NEEDS_INPUT;
        jpeg->row = malloc((size_t)info->output_width * (size_t)info->output_components);
        if (!jpeg->row) return ap_jpeg_end(jpeg, AP_MEMORY);
        jpeg->phase = PHASE_ROWS;
    }
    if (jpeg->phase == PHASE_ROWS) {
        ap_status status = ap_jpeg_deliver_rows(jpeg, row, context);
        if (jpeg->phase != PHASE_ENDING) return status;
    }
    if (!jpeg_finish_decompress(info)) return AP_NEEDS_INPUT;
    return ap_jpeg_end(jpeg, AP_FINISHED);
}

ap_status ap_jpeg_push(ap_jpeg *jpeg, const uint8_t *bytes, size_t count, ap_row_fn row, void *context) {
    if (jpeg->phase == PHASE_OVER) return jpeg->over;
    if (!append(jpeg, bytes, count)) return ap_jpeg_end(jpeg, AP_MEMORY);
    if (jpeg->skip) return AP_NEEDS_INPUT;
    if (setjmp(jpeg->trap)) return ap_jpeg_end_with_error(jpeg);
    return advance(jpeg, row, context);
}

static void choose_output(struct jpeg_decompress_struct *info) {
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE:
        info->out_color_space = JCS_GRAYSCALE;
        break;
    case JCS_CMYK:
    case JCS_YCCK:
        info->out_color_space = JCS_CMYK;
        break;
    default:
        info->out_color_space = JCS_RGB;
    }
}

ap_status ap_jpeg_start(ap_jpeg *jpeg, int numerator, size_t memory_limit) {
    if (jpeg->phase == PHASE_OVER) return jpeg->over;
    if (setjmp(jpeg->trap)) return ap_jpeg_end_with_error(jpeg);
    jpeg->info.scale_num = (unsigned int)numerator;
    jpeg->info.scale_denom = 8;
    jpeg->info.mem->max_memory_to_use = (long)memory_limit;
    choose_output(&jpeg->info);
    jpeg->phase = PHASE_STARTING;
    return AP_NEEDS_INPUT;
}

void ap_jpeg_get_header(ap_jpeg *jpeg, ap_jpeg_header *out) {
    const struct jpeg_decompress_struct *info = &jpeg->info;
    memset(out, 0, sizeof *out);
    if (jpeg->phase == PHASE_HEADER) return;
    out->width = info->image_width;
    out->height = info->image_height;
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: out->color = AP_JPEG_GRAY; break;
    case JCS_YCbCr: out->color = AP_JPEG_YCC; break;
    case JCS_CMYK:
    case JCS_YCCK: out->color = info->saw_Adobe_marker ? AP_JPEG_CMYK_ADOBE : AP_JPEG_CMYK; break;
    default: out->color = AP_JPEG_RGB;
    }
    out->whole_picture = jpeg_has_multiple_scans(&jpeg->info);
}

const char *ap_jpeg_message(const ap_jpeg *jpeg) { return jpeg->message; }
int32_t ap_jpeg_damage(const ap_jpeg *jpeg) { return jpeg->damage; }
int32_t ap_jpeg_oddities(const ap_jpeg *jpeg) { return jpeg->oddities; }

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *ap_jpeg_version(void) { return TEXT(LIBJPEG_TURBO_VERSION); }

#endif
