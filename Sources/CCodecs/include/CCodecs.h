// The whole C surface of the package. Rules of every function here:
// - it owns its setjmp: no longjmp of a codec ever crosses a caller's frame;
// - it returns an ap_status, and the codec's own words are then in ap_*_message();
// - a permanent status repeats: once a decoder has failed or finished, later calls say so again.
#ifndef CCODECS_H
#define CCODECS_H

#include <stddef.h>
#include <stdint.h>

typedef enum __attribute__((enum_extensibility(closed))) ap_status : int32_t {
    AP_NEEDS_INPUT __attribute__((swift_name("needsInput"))) = 0,  // all given bytes are used up
    AP_HEADER __attribute__((swift_name("header"))) = 1,           // header known, waiting for start
    AP_FINISHED __attribute__((swift_name("finished"))) = 2,       // every row was delivered
    AP_STOPPED __attribute__((swift_name("stopped"))) = 3,         // the row function asked to stop
    AP_CORRUPT __attribute__((swift_name("corrupt"))) = 4,
    AP_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 5,
    AP_MEMORY __attribute__((swift_name("memory"))) = 6,
} ap_status;

// Takes the next row from the top; non-zero asks the codec to stop. The row is valid during the call only.
typedef int (*ap_row_fn)(void *context, const void *row);

// JPEG: pushed, suspending. ---------------------------------------------------------------------------------
typedef struct ap_jpeg ap_jpeg;

typedef enum __attribute__((enum_extensibility(closed))) ap_jpeg_color : int32_t {
    AP_JPEG_GRAY __attribute__((swift_name("gray"))) = 0,
    AP_JPEG_YCC __attribute__((swift_name("ycc"))) = 1,
    AP_JPEG_RGB __attribute__((swift_name("rgb"))) = 2,
    AP_JPEG_CMYK __attribute__((swift_name("cmyk"))) = 3,           // rows come as stored
    AP_JPEG_CMYK_ADOBE __attribute__((swift_name("cmykAdobe"))) = 4,  // rows come inverted, 255 is no ink
} ap_jpeg_color;

typedef struct ap_jpeg_header {
    uint32_t width, height;
    ap_jpeg_color color;       // of the stored samples; rows of gray, ycc and rgb are gray or RGB
    int32_t whole_picture;     // libjpeg would keep every coefficient: progressive, or several scans
} ap_jpeg_header;

// One component's coefficients of a row of MCUs: row-major blocks of 64 values, aligned to 32 bytes.
typedef struct ap_jpeg_plane {
    const int16_t *blocks;
    size_t blocks_per_row;
} ap_jpeg_plane;

ap_jpeg *ap_jpeg_create(void);
void ap_jpeg_destroy(ap_jpeg *jpeg);
// Up to the header: consumes all bytes, or says AP_HEADER; what follows the header then is kept inside.
ap_status ap_jpeg_push(ap_jpeg *jpeg, const uint8_t *bytes, size_t count, ap_row_fn row, void *context);
// After AP_HEADER: decode at numerator/8, holding at most memory_limit bytes.
ap_status ap_jpeg_start(ap_jpeg *jpeg, int numerator, size_t memory_limit);
// After start, instead of pushing the scan's data: the coefficients of the next row of MCUs, a plane for each
// component. Says AP_FINISHED with the last one.
ap_status ap_jpeg_push_coefficients(ap_jpeg *jpeg, const ap_jpeg_plane *planes, ap_row_fn row, void *context);
void ap_jpeg_get_header(ap_jpeg *jpeg, ap_jpeg_header *out);
const char *ap_jpeg_message(const ap_jpeg *jpeg);
// Warnings that mean damaged picture data, and those every decoder shrugs at.
int32_t ap_jpeg_damage(const ap_jpeg *jpeg);
int32_t ap_jpeg_oddities(const ap_jpeg *jpeg);
const char *ap_jpeg_version(void);

// PNG: pushed through libpng's progressive reader. ------------------------------------------------------------
typedef struct ap_png ap_png;

typedef struct ap_png_header {
    uint32_t width, height;
    int32_t channels;    // of the rows: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA
    int32_t bits;        // 8, or 16 in the machine's order
} ap_png_header;

ap_png *ap_png_create(void);
void ap_png_destroy(ap_png *png);
// Feeds bytes; of an interlaced picture each pass's own rows come, pass by pass (Adam7; empty passes are left out).
ap_status ap_png_push(ap_png *png, const uint8_t *bytes, size_t count, ap_row_fn row, void *context);
// Whether libpng has taken a tRNS chunk for good: a damaged or misplaced one it drops with a warning.
int32_t ap_png_has_transparency(const ap_png *png);
// Shape of the rows; zeros until the first image data was pushed.
void ap_png_get_header(const ap_png *png, ap_png_header *out);
const char *ap_png_message(const ap_png *png);
int32_t ap_png_oddities(const ap_png *png);
const char *ap_png_version(void);

#include "heif.h"

#endif
