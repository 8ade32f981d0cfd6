// libtiff, a row or tile at a time, through callbacks: it is given one directory that was checked before.
#if defined(__linux__) && defined(AP_TIFF)

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

#include "CCodecs.h"
#include "CLate.h"

#define FUNCTIONS(X)                                                                                        \
    X(TIFFOpenOptionsAlloc)                                                                                 \
    X(TIFFOpenOptionsFree)                                                                                  \
    X(TIFFOpenOptionsSetMaxSingleMemAlloc)                                                                  \
    X(TIFFOpenOptionsSetErrorHandlerExtR)                                                                   \
    X(TIFFOpenOptionsSetWarningHandlerExtR)                                                                 \
    X(TIFFClientOpenExt)                                                                                    \
    X(TIFFClose)                                                                                            \
    X(TIFFSetField)                                                                                         \
    X(TIFFGetFieldDefaulted)                                                                                \
    X(TIFFScanlineSize64)                                                                                   \
    X(TIFFStripSize64)                                                                                      \
    X(TIFFTileSize64)                                                                                       \
    X(TIFFReadScanline)                                                                                     \
    X(TIFFReadEncodedStrip)                                                                                 \
    X(TIFFReadEncodedTile)                                                                                  \
    X(TIFFIsCODECConfigured)                                                                                \
    X(TIFFGetVersion)

FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libtiff.so.6", symbols);

struct ap_tiff {
    TIFF *tiff;
    ap_read_fn read;
    void *context;
    uint64_t size;
    uint64_t place;
    int32_t oddities;
    int32_t damage;
    ap_status error;
    char message[200];
};

// Words. ---------------------------------------------------------------------------------------------------------

static ap_status status_of(const char *text) {
    if (strstr(text, "emory")) return AP_MEMORY;
    if (strstr(text, "not configured") || strstr(text, "not implemented") || strstr(text, "not supported")) {
        return AP_UNSUPPORTED;
    }
    return AP_CORRUPT;
}

static int on_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    ap_tiff *own = user;
    (void)tiff;
    (void)module;
    own->oddities++;
    if (own->message[0]) return 1;
    vsnprintf(own->message, sizeof own->message, format, arguments);
    own->error = status_of(own->message);
    return 1;
}

static int on_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    ap_tiff *own = user;
    (void)tiff;
    own->oddities++;
    // libjpeg's warnings mean that it made up samples, except for bytes that it could pass over.
    if (!module || strcmp(module, "JPEGLib") != 0) return 1;
    char text[sizeof own->message];
    vsnprintf(text, sizeof text, format, arguments);
    if (strstr(text, "extraneous")) return 1;
    own->damage++;
    if (!own->message[0]) memcpy(own->message, text, sizeof text);
    return 1;
}

// The file. ------------------------------------------------------------------------------------------------------

static tmsize_t file_read(thandle_t handle, void *buffer, tmsize_t count) {
    ap_tiff *own = handle;
    if (count <= 0) return 0;
    ptrdiff_t got = own->read(own->context, own->place, buffer, (size_t)count);
    if (got > 0) own->place += (uint64_t)got;
    return got;
}

static tmsize_t file_write(thandle_t handle, void *buffer, tmsize_t count) {
    (void)handle;
    (void)buffer;
    (void)count;
    return -1;
}

static toff_t file_seek(thandle_t handle, toff_t offset, int whence) {
    ap_tiff *own = handle;
    if (whence == SEEK_CUR) offset += own->place;
    if (whence == SEEK_END) offset += own->size;
    own->place = offset;
    return offset;
}

static int file_close(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t file_size(thandle_t handle) { return ((ap_tiff *)handle)->size; }

// Life. ----------------------------------------------------------------------------------------------------------

bool ap_tiff_load(void) { return ap_late_load(&library); }

bool ap_tiff_has_codec(uint16_t compression) { return late_TIFFIsCODECConfigured(compression); }

ap_tiff *ap_tiff_create(ap_read_fn read, void *context, uint64_t size) {
    ap_tiff *own = calloc(1, sizeof *own);
    if (!own) return NULL;
    own->read = read;
    own->context = context;
    own->size = size;
    return own;
}

ap_status ap_tiff_open(ap_tiff *own, ap_tiff_rendering rendering, size_t memory_limit) {
    TIFFOpenOptions *options = late_TIFFOpenOptionsAlloc();
    if (!options) return AP_MEMORY;
    late_TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)memory_limit);
    late_TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, own);
    late_TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, own);
    // m: never mapped, for a file that shrinks meanwhile must be an error, not a signal.
    own->tiff = late_TIFFClientOpenExt("", "rm", own, file_read, file_write, file_seek, file_close, file_size,
                                       NULL, NULL, options);
    late_TIFFOpenOptionsFree(options);
    if (!own->tiff) return own->error ? own->error : AP_CORRUPT;
    own->oddities = 0;
    own->message[0] = 0;
    int done = 1;
    switch (rendering) {
    case AP_TIFF_STORED: break;
    case AP_TIFF_JPEG_RGB: done = late_TIFFSetField(own->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB); break;
    case AP_TIFF_LOG_8BIT: done = late_TIFFSetField(own->tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_8BIT); break;
    case AP_TIFF_PIXAR_8BIT: done = late_TIFFSetField(own->tiff, TIFFTAG_PIXARLOGDATAFMT, PIXARLOGDATAFMT_8BIT); break;
    case AP_TIFF_PIXAR_16BIT: done = late_TIFFSetField(own->tiff, TIFFTAG_PIXARLOGDATAFMT, PIXARLOGDATAFMT_16BIT); break;
    }
    return done ? AP_NEEDS_INPUT : AP_UNSUPPORTED;
}

void ap_tiff_destroy(ap_tiff *own) {
    if (!own) return;
    if (own->tiff) late_TIFFClose(own->tiff);
    free(own);
}

// Pixels. --------------------------------------------------------------------------------------------------------

void ap_tiff_get_sizes(ap_tiff *own, ap_tiff_sizes *out) {
    uint16_t columns = 1, rows = 1;
    // Asking for these has libtiff look into old JPEG data, whose tags are often wrong.
    late_TIFFGetFieldDefaulted(own->tiff, TIFFTAG_YCBCRSUBSAMPLING, &columns, &rows);
    out->columns = columns;
    out->rows = rows;
    out->row = late_TIFFScanlineSize64(own->tiff);
    out->strip = late_TIFFStripSize64(own->tiff);
    out->tile = late_TIFFTileSize64(own->tiff);
}

static ap_status result(ap_tiff *own, bool done) {
    if (done) return AP_NEEDS_INPUT;
    return own->error ? own->error : AP_CORRUPT;
}

// The lengths below are libtiff's own, which were compared with the buffers' before.

ap_status ap_tiff_read_row(ap_tiff *own, uint32_t y, uint16_t sample, void *buffer, size_t count) {
    if (late_TIFFScanlineSize64(own->tiff) > count) return AP_CORRUPT;
    return result(own, late_TIFFReadScanline(own->tiff, buffer, y, sample) == 1);
}

ap_status ap_tiff_read_strip(ap_tiff *own, uint32_t strip, void *buffer, size_t count) {
    return result(own, late_TIFFReadEncodedStrip(own->tiff, strip, buffer, (tmsize_t)count) >= 0);
}

ap_status ap_tiff_read_tile(ap_tiff *own, uint32_t tile, void *buffer, size_t count) {
    return result(own, late_TIFFReadEncodedTile(own->tiff, tile, buffer, (tmsize_t)count) >= 0);
}

const char *ap_tiff_message(const ap_tiff *own) { return own->message; }
int32_t ap_tiff_oddities(const ap_tiff *own) { return own->oddities; }
int32_t ap_tiff_damage(const ap_tiff *own) { return own->damage; }

// "LIBTIFF, Version 4.5.0" and a copyright behind it.
const char *ap_tiff_version(void) { return ap_late_load(&library) ? late_TIFFGetVersion() : ""; }

#endif
