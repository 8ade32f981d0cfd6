// dav1d: the OBUs of one picture in, its planes out; no threads of its own.
#if defined(__linux__) && defined(AP_HEIF)

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dav1d/dav1d.h>

#include "CCodecs.h"
#include "CLate.h"

#define FUNCTIONS(X)                                                                                              \
    X(dav1d_default_settings) X(dav1d_open) X(dav1d_close) X(dav1d_parse_sequence_header) X(dav1d_data_wrap)      \
    X(dav1d_version) X(dav1d_data_unref) X(dav1d_send_data) X(dav1d_get_picture) X(dav1d_picture_unref)

FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libdav1d.so.6", symbols);

struct ap_av1 {
    Dav1dContext *decoder;
    Dav1dPicture picture;
    int has_picture;
    int32_t layer;
    char message[160];
};

int32_t ap_av1_is_available(void) { return ap_late_load(&library); }

static void describe(const Dav1dSequenceHeader *header, ap_planes *out) {
    out->width = header->max_width;
    out->height = header->max_height;
    out->bits = 8 + 2 * header->hbd;
    out->across = header->layout == DAV1D_PIXEL_LAYOUT_I420 || header->layout == DAV1D_PIXEL_LAYOUT_I422;
    out->down = header->layout == DAV1D_PIXEL_LAYOUT_I420;
    out->full_range = header->color_range;
    out->primaries = (int32_t)header->pri;
    out->transfer = (int32_t)header->trc;
    out->matrix = (int32_t)header->mtrx;
    out->siting = (int32_t)header->chr;
}

ap_status ap_av1_sequence(const uint8_t *bytes, size_t count, ap_planes *out) {
    if (!ap_late_load(&library)) return AP_UNSUPPORTED;
    *out = (ap_planes){0};
    Dav1dSequenceHeader header;
    if (late_dav1d_parse_sequence_header(&header, bytes, count) != 0) return AP_CORRUPT;
    describe(&header, out);
    // Only whether there are chroma planes is to be told here.
    if (header.layout != DAV1D_PIXEL_LAYOUT_I400) out->plane[1] = out->plane[2] = bytes;
    return AP_HEADER;
}

ap_av1 *ap_av1_create(uint64_t most_pixels, int32_t operating_point, int32_t layer) {
    if (!ap_late_load(&library)) return NULL;
    ap_av1 *av1 = calloc(1, sizeof *av1);
    if (!av1) return NULL;
    Dav1dSettings settings;
    late_dav1d_default_settings(&settings);
    settings.n_threads = 1;
    settings.max_frame_delay = 1;
    settings.operating_point = operating_point;
    settings.all_layers = layer >= 0;
    settings.frame_size_limit = most_pixels < UINT_MAX ? (unsigned)most_pixels : UINT_MAX;
    settings.logger.callback = NULL;
    av1->layer = layer;
    if (late_dav1d_open(&av1->decoder, &settings) != 0) {
        free(av1);
        return NULL;
    }
    return av1;
}

static void drop_picture(ap_av1 *av1) {
    if (av1->has_picture) late_dav1d_picture_unref(&av1->picture);
    av1->has_picture = 0;
}

void ap_av1_destroy(ap_av1 *av1) {
    if (!av1) return;
    drop_picture(av1);
    late_dav1d_close(&av1->decoder);
    free(av1);
}

static ap_status fail(ap_av1 *av1, int error) {
    snprintf(av1->message, sizeof av1->message, "dav1d: %s", strerror(DAV1D_ERR(error)));
    if (error == DAV1D_ERR(ENOMEM)) return AP_MEMORY;
    return error == DAV1D_ERR(ENOPROTOOPT) ? AP_UNSUPPORTED : AP_CORRUPT;
}

// Keeps the picture that is ready, if it is the wanted one.
static ap_status take(ap_av1 *av1, ap_planes *out) {
    for (;;) {
        Dav1dPicture picture = {0};
        int error = late_dav1d_get_picture(av1->decoder, &picture);
        if (error == DAV1D_ERR(EAGAIN)) return AP_NEEDS_INPUT;
        if (error != 0) return fail(av1, error);
        if (av1->layer >= 0 && picture.frame_hdr->spatial_id != av1->layer) {
            late_dav1d_picture_unref(&picture);
            continue;
        }
        drop_picture(av1);
        av1->picture = picture;
        av1->has_picture = 1;
        *out = (ap_planes){0};
        describe(picture.seq_hdr, out);
        out->width = picture.p.w;
        out->height = picture.p.h;
        for (int i = 0; i < (picture.p.layout == DAV1D_PIXEL_LAYOUT_I400 ? 1 : 3); i++) {
            out->plane[i] = picture.data[i];
            out->stride[i] = picture.stride[i > 0];
        }
        return AP_FINISHED;
    }
}

static void keep(const uint8_t *bytes, void *context) {
    (void)bytes;
    (void)context;
}

ap_status ap_av1_push(ap_av1 *av1, const uint8_t *bytes, size_t count, ap_planes *out) {
    if (count == 0) return take(av1, out);
    Dav1dData data = {0};
    int error = late_dav1d_data_wrap(&data, bytes, count, keep, NULL);
    if (error != 0) return fail(av1, error);
    ap_status status = AP_NEEDS_INPUT;
    while (status == AP_NEEDS_INPUT && data.sz > 0) {
        error = late_dav1d_send_data(av1->decoder, &data);
        if (error != 0 && error != DAV1D_ERR(EAGAIN)) status = fail(av1, error);
        else status = take(av1, out);
        if (error == DAV1D_ERR(EAGAIN) && status == AP_NEEDS_INPUT) status = fail(av1, error);
    }
    if (data.sz > 0) late_dav1d_data_unref(&data);
    return status;
}

const char *ap_av1_message(const ap_av1 *av1) { return av1->message; }
const char *ap_av1_version(void) { return ap_late_load(&library) ? late_dav1d_version() : NULL; }

#endif
