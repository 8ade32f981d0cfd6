// libde265: the NAL units of one picture in, its planes out; no threads of its own.
#if defined(__linux__) && defined(AP_HEIF)

#include <stdio.h>
#include <stdlib.h>

#include <libde265/de265.h>

#include "CCodecs.h"
#include "CLate.h"

#define FUNCTIONS(X)                                                                                        \
    X(de265_init) X(de265_get_version) X(de265_new_decoder) X(de265_free_decoder) X(de265_push_data)        \
    X(de265_push_end_of_NAL) X(de265_flush_data) X(de265_decode) X(de265_get_next_picture)                  \
    X(de265_get_warning) X(de265_get_error_text) X(de265_get_default_image_allocation_functions)            \
    X(de265_set_image_allocation_functions) X(de265_set_parameter_bool) X(de265_get_image_width)            \
    X(de265_get_image_height) X(de265_get_chroma_format) X(de265_get_bits_per_pixel)                        \
    X(de265_get_image_plane) X(de265_get_image_full_range_flag) X(de265_get_image_colour_primaries)         \
    X(de265_get_image_transfer_characteristics) X(de265_get_image_matrix_coefficients)

FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libde265.so.0", symbols);

struct ap_hevc {
    de265_decoder_context *decoder;
    struct de265_image_allocation allocation;
    uint64_t most_pixels;
    int refused;  // a picture of more pixels was asked for
    char message[160];
};

static int get_buffer(de265_decoder_context *decoder, struct de265_image_spec *spec, struct de265_image *image,
                      void *context) {
    ap_hevc *hevc = context;
    if (spec->width <= 0 || spec->height <= 0 || (uint64_t)spec->width * (uint64_t)spec->height > hevc->most_pixels) {
        hevc->refused = 1;
        return 0;
    }
    // libde265 hands its own functions no context of theirs.
    return late_de265_get_default_image_allocation_functions()->get_buffer(decoder, spec, image, NULL);
}

static void release_buffer(de265_decoder_context *decoder, struct de265_image *image, void *context) {
    (void)context;
    late_de265_get_default_image_allocation_functions()->release_buffer(decoder, image, NULL);
}

// One more decoder that is never freed: the last one's end drops tables that the next one takes 3 ms to make again.
static void keep_tables(void) { late_de265_init(); }

int32_t ap_hevc_is_available(void) { return ap_late_load(&library); }

ap_hevc *ap_hevc_create(uint64_t most_pixels, int32_t unfiltered) {
    if (!ap_late_load(&library)) return NULL;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, keep_tables);
    ap_hevc *hevc = calloc(1, sizeof *hevc);
    if (!hevc) return NULL;
    hevc->most_pixels = most_pixels;
    hevc->decoder = late_de265_new_decoder();
    if (!hevc->decoder) {
        free(hevc);
        return NULL;
    }
    hevc->allocation.get_buffer = get_buffer;
    hevc->allocation.release_buffer = release_buffer;
    late_de265_set_image_allocation_functions(hevc->decoder, &hevc->allocation, hevc);
    late_de265_set_parameter_bool(hevc->decoder, DE265_DECODER_PARAM_DISABLE_DEBLOCKING, unfiltered);
    late_de265_set_parameter_bool(hevc->decoder, DE265_DECODER_PARAM_DISABLE_SAO, unfiltered);
    return hevc;
}

void ap_hevc_destroy(ap_hevc *hevc) {
    if (!hevc) return;
    late_de265_free_decoder(hevc->decoder);
    free(hevc);
}

static ap_status fail(ap_hevc *hevc, de265_error error) {
    if (hevc->refused) {
        snprintf(hevc->message, sizeof hevc->message, "a coded picture larger than the container says");
        return AP_CORRUPT;
    }
    snprintf(hevc->message, sizeof hevc->message, "%s", late_de265_get_error_text(error));
    if (error == DE265_ERROR_OUT_OF_MEMORY) return AP_MEMORY;
    return error == DE265_ERROR_NOT_IMPLEMENTED_YET ? AP_UNSUPPORTED : AP_CORRUPT;
}

// Warnings that say nothing against the picture's data.
static int is_harmless(de265_error warning) {
    return warning == DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING ||
           warning == DE265_WARNING_NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM ||
           warning == DE265_WARNING_SPS_MISSING_CANNOT_DECODE_SEI;
}

// Whether anything was said against what was decoded so far.
static ap_status check(ap_hevc *hevc) {
    if (hevc->refused) return fail(hevc, DE265_OK);
    for (;;) {
        de265_error warning = late_de265_get_warning(hevc->decoder);
        if (warning == DE265_OK) return AP_NEEDS_INPUT;
        if (!is_harmless(warning)) return fail(hevc, warning);
    }
}

// Decodes what was pushed, as far as that goes; at the end of the stream until there is a picture.
static ap_status run(ap_hevc *hevc, const struct de265_image **image) {
    int more = 1;
    // At the end of the stream libde265 says that there is more until the picture is taken.
    for (int steps = 0; more && steps < 10000; steps++) {
        de265_error error = late_de265_decode(hevc->decoder, &more);
        if (error == DE265_ERROR_WAITING_FOR_INPUT_DATA || error == DE265_ERROR_IMAGE_BUFFER_FULL) more = 0;
        else if (error != DE265_OK) return fail(hevc, error);
        if (image && (*image = late_de265_get_next_picture(hevc->decoder))) break;
    }
    return check(hevc);
}

ap_status ap_hevc_push(ap_hevc *hevc, const uint8_t *bytes, size_t count, int32_t is_start, int32_t is_end) {
    static const uint8_t start[] = {0, 0, 1};
    de265_error error = DE265_OK;
    if (is_start) error = late_de265_push_data(hevc->decoder, start, sizeof start, 0, NULL);
    if (error == DE265_OK && count > 0) error = late_de265_push_data(hevc->decoder, bytes, (int)count, 0, NULL);
    if (error != DE265_OK) return fail(hevc, error);
    if (!is_end) return AP_NEEDS_INPUT;
    late_de265_push_end_of_NAL(hevc->decoder);
    return run(hevc, NULL);
}

ap_status ap_hevc_finish(ap_hevc *hevc, ap_planes *out) {
    late_de265_flush_data(hevc->decoder);
    const struct de265_image *image = NULL;
    ap_status status = run(hevc, &image);
    if (status != AP_NEEDS_INPUT) return status;
    if (!image) {
        snprintf(hevc->message, sizeof hevc->message, "no picture in the coded data");
        return AP_CORRUPT;
    }
    *out = (ap_planes){0};
    enum de265_chroma chroma = late_de265_get_chroma_format(image);
    out->width = late_de265_get_image_width(image, 0);
    out->height = late_de265_get_image_height(image, 0);
    out->bits = late_de265_get_bits_per_pixel(image, 0);
    out->across = chroma == de265_chroma_420 || chroma == de265_chroma_422;
    out->down = chroma == de265_chroma_420;
    for (int i = 0; i < (chroma == de265_chroma_mono ? 1 : 3); i++) {
        int stride = 0;
        out->plane[i] = late_de265_get_image_plane(image, i, &stride);
        out->stride[i] = stride;
        if (late_de265_get_bits_per_pixel(image, i) != out->bits) {
            snprintf(hevc->message, sizeof hevc->message, "luma and chroma of different depths");
            return AP_UNSUPPORTED;
        }
    }
    out->full_range = late_de265_get_image_full_range_flag(image);
    out->primaries = late_de265_get_image_colour_primaries(image);
    out->transfer = late_de265_get_image_transfer_characteristics(image);
    out->matrix = late_de265_get_image_matrix_coefficients(image);
    return AP_FINISHED;
}

const char *ap_hevc_message(const ap_hevc *hevc) { return hevc->message; }
const char *ap_hevc_version(void) { return ap_late_load(&library) ? late_de265_get_version() : NULL; }

#endif
