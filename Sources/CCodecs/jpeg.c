// libjpeg-turbo behind a push interface: a suspending source, rows out by callback.
#if defined(__linux__)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jpegint.h>  // libjpeg-turbo installs it: the interfaces between its stages, for coefficients from outside
#include <jerror.h>

#include "CCodecs.h"

enum phase { PHASE_HEADER, PHASE_READY, PHASE_STARTING, PHASE_ROWS, PHASE_ENDING, PHASE_OVER };

struct ap_jpeg {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf trap;
    enum phase phase;
    ap_status over;          // the answer once the phase is PHASE_OVER
    uint8_t *kept;           // bytes libjpeg has not used yet
    size_t kept_capacity;
    size_t skip;             // bytes still to be thrown away
    uint8_t *row;
    const ap_jpeg_plane *planes;  // of rows that came as coefficients, the next of which is not transformed yet
    int smooths;
    ap_jpeg_knowledge knowledge;
    int (*transform)(j_decompress_ptr, JSAMPIMAGE);  // libjpeg's own, where it smooths
    uint8_t arrays[MAX_COMPONENTS];                  // their addresses stand for whole components of coefficients
    JBLOCKROW window[AP_JPEG_WINDOW * MAX_SAMP_FACTOR];
    int32_t damage, oddities;
    char message[JMSG_LENGTH_MAX];
};

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

static ap_status finish_with(ap_jpeg *jpeg, ap_status status) {
    jpeg->phase = PHASE_OVER;
    jpeg->over = status;
    return status;
}

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

static ap_status deliver_rows(ap_jpeg *jpeg, ap_row_fn row, void *context) {
    struct jpeg_decompress_struct *info = &jpeg->info;
    JSAMPROW rows[1] = {jpeg->row};
    while (info->output_scanline < info->output_height) {
        if (jpeg_read_scanlines(info, rows, 1) == 0) return AP_NEEDS_INPUT;
        if (row(context, jpeg->row)) return finish_with(jpeg, AP_STOPPED);
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
        if (!jpeg->row) return finish_with(jpeg, AP_MEMORY);
        jpeg->phase = PHASE_ROWS;
    }
    if (jpeg->phase == PHASE_ROWS) {
        ap_status status = deliver_rows(jpeg, row, context);
        if (jpeg->phase != PHASE_ENDING) return status;
    }
    if (!jpeg_finish_decompress(info)) return AP_NEEDS_INPUT;
    return finish_with(jpeg, AP_FINISHED);
}

ap_status ap_jpeg_push(ap_jpeg *jpeg, const uint8_t *bytes, size_t count, ap_row_fn row, void *context) {
    if (jpeg->phase == PHASE_OVER) return jpeg->over;
    if (!append(jpeg, bytes, count)) return finish_with(jpeg, AP_MEMORY);
    if (jpeg->skip) return AP_NEEDS_INPUT;
    if (setjmp(jpeg->trap)) return finish_with(jpeg, status_of(jpeg->errors.msg_code));
    return advance(jpeg, row, context);
}

// Coefficients in, instead of entropy-coded data. ------------------------------------------------------------------
// libjpeg's own inverse transforms, upsampling and colours follow, so pixels are what its decoder would give.

static int transformed_size(const jpeg_component_info *component) {
#if JPEG_LIB_VERSION >= 70
    return component->DCT_h_scaled_size;
#else
    return component->DCT_scaled_size;
#endif
}

// Stands in for the coefficient controller: one row of MCUs to samples, or "suspended" while there is none.
static int transform_row(j_decompress_ptr info, JSAMPIMAGE output) {
    ap_jpeg *jpeg = info->client_data;
    if (!jpeg->planes) return JPEG_SUSPENDED;
    for (int i = 0; i < info->num_components; i++) {
        jpeg_component_info *component = &info->comp_info[i];
        if (!component->component_needed) continue;
        JDIMENSION first = info->output_iMCU_row * (JDIMENSION)component->v_samp_factor;
        JDIMENSION rows = component->height_in_blocks - first;
        if (rows > (JDIMENSION)component->v_samp_factor) rows = (JDIMENSION)component->v_samp_factor;
        inverse_DCT_method_ptr transform = info->idct->inverse_DCT[i];
        int size = transformed_size(component);
        for (JDIMENSION y = 0; y < rows; y++) {
            const int16_t *block = jpeg->planes[i].blocks + (size_t)y * jpeg->planes[i].blocks_per_row * DCTSIZE2;
            JSAMPARRAY samples = output[i] + (size_t)y * (size_t)size;
            for (JDIMENSION x = 0; x < component->width_in_blocks; x++) {
                transform(info, component, (JCOEFPTR)block, samples, x * (JDIMENSION)size);
                block += DCTSIZE2;
            }
        }
    }
    jpeg->planes = NULL;
    return ++info->output_iMCU_row < info->total_iMCU_rows ? JPEG_ROW_COMPLETED : JPEG_SCAN_COMPLETED;
}

// Smoothing: libjpeg makes up for low coefficients that never came from the means around a block. Its controller of
// whole pictures does it, on arrays that we stand in for: of the rows it asks for, two above and two below, each lies
// in one of AP_JPEG_WINDOW rows of MCUs that are used in turn.
#if LIBJPEG_TURBO_VERSION_NUMBER >= 2001000

static jvirt_barray_ptr request_array(j_common_ptr info, int pool, boolean zeroed, JDIMENSION across, JDIMENSION down,
                                      JDIMENSION most) {
    ap_jpeg *jpeg = info->client_data;
    (void)pool, (void)zeroed, (void)across, (void)down, (void)most;
    size_t next = 0;
    while (next + 1 < MAX_COMPONENTS && jpeg->arrays[next]) next++;
    jpeg->arrays[next] = 1;
    return (jvirt_barray_ptr)(void *)&jpeg->arrays[next];
}

static void realize_arrays(j_common_ptr info) { (void)info; }

static JBLOCKARRAY access_array(j_common_ptr info, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count,
                                boolean writable) {
    ap_jpeg *jpeg = info->client_data;
    size_t component = (size_t)((uint8_t *)(void *)array - jpeg->arrays);
    JDIMENSION down = (JDIMENSION)jpeg->info.comp_info[component].v_samp_factor;
    if (writable || !jpeg->planes || count > AP_JPEG_WINDOW * down) {
        ERREXIT(info, JERR_BAD_VIRTUAL_ACCESS);
    }
    // All of the window: 2.1.5 asks for a row too few above the second row of MCUs, and uses it all the same.
    for (JDIMENSION i = 0; i < AP_JPEG_WINDOW * down; i++) {
        JDIMENSION row = (first + i) / down;
        const ap_jpeg_plane *plane =
            &jpeg->planes[row % AP_JPEG_WINDOW * (JDIMENSION)jpeg->info.num_components + component];
        jpeg->window[i] = (JBLOCKROW)plane->blocks + (size_t)((first + i) % down) * plane->blocks_per_row;
    }
    return jpeg->window;
}

static int smooth_row(j_decompress_ptr info, JSAMPIMAGE output) {
    ap_jpeg *jpeg = info->client_data;
    if (!jpeg->planes) return JPEG_SUSPENDED;
    int status = jpeg->transform(info, output);
    jpeg->planes = NULL;
    return status;
}

// As a picture of several scans that are all read: then there is nothing left to be read from the source.
static boolean start_smoothing(ap_jpeg *jpeg) {
    struct jpeg_decompress_struct *info = &jpeg->info;
    info->mem->request_virt_barray = request_array;
    info->mem->realize_virt_arrays = realize_arrays;
    info->mem->access_virt_barray = access_array;
    info->progressive_mode = TRUE;
    info->buffered_image = TRUE;
    info->Se = 0;
    if (!jpeg_start_decompress(info)) return FALSE;
    for (int i = 0; i < info->num_components && i < 4; i++) {
        for (int k = 0; k < AP_JPEG_SMOOTHED; k++) {
            info->coef_bits[i][k] = jpeg->knowledge.now[i][k];
            info->coef_bits[i + info->num_components][k] = jpeg->knowledge.before[i][k];
        }
    }
    info->input_scan_number = 2;
    info->inputctl->eoi_reached = TRUE;
    if (!jpeg_start_output(info, 1)) return FALSE;
    jpeg->transform = info->coef->decompress_data;
    info->coef->decompress_data = smooth_row;
    return TRUE;
}

void ap_jpeg_smooth(ap_jpeg *jpeg, const ap_jpeg_knowledge *knowledge) {
    jpeg->smooths = 1;
    jpeg->knowledge = *knowledge;
}

#else
#error "libjpeg-turbo 2.1 or later is needed"
#endif

static ap_status start_coefficients(ap_jpeg *jpeg) {
    struct jpeg_decompress_struct *info = &jpeg->info;
    // The scan's own data is never read. As a scan of one component it may have any sampling: the limit of 10
    // blocks in an MCU is one of interleaving, and libjpeg checks it for the scan's components.
    for (int i = 0; i < info->num_components; i++) {
        jpeg_component_info *component = &info->comp_info[i];
        component->quant_table = info->quant_tbl_ptrs[component->quant_tbl_no];
        if (!component->quant_table) return finish_with(jpeg, AP_CORRUPT);
    }
    info->comps_in_scan = 1;
    if (jpeg->smooths) {
        if (!start_smoothing(jpeg)) return finish_with(jpeg, AP_CORRUPT);
    } else {
        if (!jpeg_start_decompress(info)) return finish_with(jpeg, AP_CORRUPT);
        info->coef->decompress_data = transform_row;
    }
    jpeg->row = malloc((size_t)info->output_width * (size_t)info->output_components);
    if (!jpeg->row) return finish_with(jpeg, AP_MEMORY);
    jpeg->phase = PHASE_ROWS;
    return AP_NEEDS_INPUT;
}

ap_status ap_jpeg_push_coefficients(ap_jpeg *jpeg, const ap_jpeg_plane *planes, int is_good, ap_row_fn row,
                                    void *context) {
    if (jpeg->phase == PHASE_OVER) return jpeg->over;
    if (setjmp(jpeg->trap)) return finish_with(jpeg, status_of(jpeg->errors.msg_code));
    if (jpeg->phase == PHASE_STARTING) {
        ap_status status = start_coefficients(jpeg);
        if (status != AP_NEEDS_INPUT) return status;
    }
    if (jpeg->phase != PHASE_ROWS) return finish_with(jpeg, AP_CORRUPT);
    jpeg->planes = planes;
    // Rows behind the last good one are taken to be known as before the last scan.
    if (is_good) jpeg->info.master->last_good_iMCU_row = jpeg->info.output_iMCU_row;
    ap_status status = deliver_rows(jpeg, row, context);
    jpeg->planes = NULL;
    return jpeg->phase == PHASE_ENDING ? finish_with(jpeg, AP_FINISHED) : status;
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
    if (setjmp(jpeg->trap)) return finish_with(jpeg, status_of(jpeg->errors.msg_code));
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
