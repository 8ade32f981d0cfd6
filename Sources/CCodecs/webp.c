// libwebp's incremental decoder: a chunk of image data in, rows out by callback.
//
// libwebp writes rows into a picture that must be there whole. Its pages come from the system one by one as they are
// written to, and go back once their rows were handed on, so that what is resident is only what one push decodes.
#if defined(__linux__) && defined(AP_WEBP)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <webp/decode.h>

#include "CCodecs.h"
#include "CLate.h"

#define FUNCTIONS(X) \
    X(WebPInitDecoderConfigInternal) X(WebPIDecode) X(WebPIAppend) X(WebPIDelete) X(WebPIDecGetRGB) \
    X(WebPGetDecoderVersion)
FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libwebp.so.7", symbols);

struct ap_webp {
    WebPDecoderConfig config;  // libwebp points into it
    WebPIDecoder *decoder;
    uint8_t *rows;
    size_t size;       // mapped
    size_t returned;   // bytes at the start whose pages went back
    uint32_t given;    // rows handed on
    int over;
    ap_status status;
    char message[80];
};

static ap_status leave(ap_webp *webp, ap_status status, const char *message) {
    snprintf(webp->message, sizeof webp->message, "%s", message);
    webp->over = 1;
    return webp->status = status;
}

int32_t ap_webp_is_available(void) { return ap_late_load(&library); }

ap_webp *ap_webp_create(uint32_t width, uint32_t height, int32_t has_alpha, int32_t is_scaled) {
    if (!ap_late_load(&library)) return NULL;
    ap_webp *webp = calloc(1, sizeof *webp);
    if (!webp) return NULL;
    size_t stride = (size_t)width * (has_alpha ? 4 : 3);
    webp->size = stride * height;
    void *rows = mmap(NULL, webp->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    webp->rows = rows == MAP_FAILED ? NULL : rows;
    if (!webp->rows || !late_WebPInitDecoderConfigInternal(&webp->config, WEBP_DECODER_ABI_VERSION)) {
        ap_webp_destroy(webp);
        return NULL;
    }
    WebPDecoderConfig *config = &webp->config;
    config->output.colorspace = has_alpha ? MODE_RGBA : MODE_RGB;
    config->output.is_external_memory = 1;
    config->output.u.RGBA.rgba = webp->rows;
    config->output.u.RGBA.stride = (int)stride;
    config->output.u.RGBA.size = webp->size;
    config->options.use_scaling = is_scaled;
    config->options.scaled_width = (int)width;
    config->options.scaled_height = (int)height;
    webp->decoder = late_WebPIDecode(NULL, 0, config);
    if (!webp->decoder) {
        ap_webp_destroy(webp);
        return NULL;
    }
    return webp;
}

void ap_webp_destroy(ap_webp *webp) {
    if (!webp) return;
    if (webp->decoder) late_WebPIDelete(webp->decoder);
    if (webp->rows) munmap(webp->rows, webp->size);
    free(webp);
}

// Gives back the whole pages of what was handed on.
static void give_back(ap_webp *webp, size_t used) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t end = used / page * page;
    if (end <= webp->returned) return;
    madvise(webp->rows + webp->returned, end - webp->returned, MADV_DONTNEED);
    webp->returned = end;
}

ap_status ap_webp_push(ap_webp *webp, const uint8_t *bytes, size_t count, ap_row_fn row, void *context) {
    if (webp->over) return webp->status;
    VP8StatusCode code = late_WebPIAppend(webp->decoder, bytes, count);
    switch (code) {
    case VP8_STATUS_OK:
    case VP8_STATUS_SUSPENDED: break;
    case VP8_STATUS_OUT_OF_MEMORY: return leave(webp, AP_MEMORY, "libwebp has not enough memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE: return leave(webp, AP_UNSUPPORTED, "a feature libwebp does not decode");
    default: return leave(webp, AP_CORRUPT, "libwebp finds the bits damaged");
    }
    int last = 0, width = 0, height = 0, stride = 0;
    const uint8_t *rows = late_WebPIDecGetRGB(webp->decoder, &last, &width, &height, &stride);
    while (rows && (int64_t)webp->given < last) {
        size_t at = (size_t)webp->given * (size_t)stride;
        webp->given++;
        if (row(context, rows + at)) return leave(webp, AP_STOPPED, "stopped");
        if ((webp->given & 63) == 0) give_back(webp, at);
    }
    if (code == VP8_STATUS_SUSPENDED) return AP_NEEDS_INPUT;
    return leave(webp, AP_FINISHED, "");
}

const char *ap_webp_message(const ap_webp *webp) { return webp->message; }

int32_t ap_webp_version(void) { return ap_late_load(&library) ? late_WebPGetDecoderVersion() : 0; }

#endif
