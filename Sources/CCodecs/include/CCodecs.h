// The whole C surface of the package. Rules of every function here:
// - it owns its setjmp: no longjmp of a codec ever crosses a caller's frame;
// - it returns an ap_status, and the codec's own words are then in ap_*_message();
// - a permanent status repeats: once a decoder has failed or finished, later calls say so again.
#ifndef CCODECS_H
#define CCODECS_H

#include <stdbool.h>
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
ap_status ap_jpeg_push_coefficients(ap_jpeg *jpeg, const ap_jpeg_plane *planes, int is_good, ap_row_fn row,
                                    void *context);

// How well the first coefficients of each component are known, in zigzag order: -1 not at all, else the number of
// low bits that are missing; at the end, and before the last scan that the component was part of.
#define AP_JPEG_SMOOTHED 10
typedef struct ap_jpeg_knowledge {
    int now[4][AP_JPEG_SMOOTHED], before[4][AP_JPEG_SMOOTHED];
} ap_jpeg_knowledge;

// Before the first push of coefficients: libjpeg is to make up for what is not known, where it would.
// Each push then brings the planes of AP_JPEG_WINDOW rows of MCUs, row r in the place of r modulo AP_JPEG_WINDOW; of
// the next row and, as far as the picture goes, the two above and the two below it. is_good says whether the last
// scan of the file reached that row.
#define AP_JPEG_WINDOW 5
void ap_jpeg_smooth(ap_jpeg *jpeg, const ap_jpeg_knowledge *knowledge);
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
// Inflates zlib data until `capacity` bytes are there or the data ends; the number of bytes, -1 for damaged data.
ptrdiff_t ap_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity);

// ICC profiles through lcms2, loaded when first used. ----------------------------------------------------------
typedef struct ap_icc ap_icc;
typedef struct ap_icc_transform ap_icc_transform;

typedef enum __attribute__((enum_extensibility(closed))) ap_icc_space : int32_t {
    AP_ICC_OTHER __attribute__((swift_name("other"))) = 0,
    AP_ICC_GRAY __attribute__((swift_name("gray"))) = 1,
    AP_ICC_RGB __attribute__((swift_name("rgb"))) = 2,
    AP_ICC_CMYK __attribute__((swift_name("cmyk"))) = 3,
    AP_ICC_LAB __attribute__((swift_name("lab"))) = 4,
} ap_icc_space;

// Rows that a transform takes; it gives three channels of 8 bits, or of rows with alpha as many as it takes.
typedef enum __attribute__((enum_extensibility(closed))) ap_icc_rows : int32_t {
    AP_ICC_ROWS_RGB __attribute__((swift_name("rgb"))) = 0,
    AP_ICC_ROWS_CMYK __attribute__((swift_name("cmyk"))) = 1,
    AP_ICC_ROWS_CMYK_INVERTED __attribute__((swift_name("cmykInverted"))) = 2,
    AP_ICC_ROWS_RGBA __attribute__((swift_name("rgba"))) = 3,
    AP_ICC_ROWS_RGBA_16 __attribute__((swift_name("rgba16"))) = 4,
} ap_icc_rows;

// NULL for what lcms2 does not take for an input, display, output or colour space profile, and where it is missing.
ap_icc *ap_icc_open(const uint8_t *bytes, size_t count);
void ap_icc_close(ap_icc *profile);
ap_icc_space ap_icc_get_space(const ap_icc *profile);
// Whether curves, and for RGB a matrix, are all there is to it: no table comes before them.
int32_t ap_icc_is_simple(const ap_icc *profile);
// `count` samples, 0...1, of the curve of channel 0, 1 or 2 (0 for gray) at equal distances; 0 when there is none.
int32_t ap_icc_get_curve(const ap_icc *profile, int channel, float *samples, size_t count);
// X, Y, Z (relative to D50) of red, of green and of blue; 0 when there are none.
int32_t ap_icc_get_colorants(const ap_icc *profile, double xyz[9]);
// Rows to sRGB rows of 8 bits, relative colorimetric with black point compensation; NULL where that cannot be. Closes
// the profile in either case.
ap_icc_transform *ap_icc_transform_create(ap_icc *profile, ap_icc_rows rows);
void ap_icc_transform_destroy(ap_icc_transform *transform);
// May work in place where a pixel takes as many bytes on both sides.
void ap_icc_transform_row(const ap_icc_transform *transform, const void *row, void *out, size_t width);
// 0 where lcms2 is missing.
int32_t ap_icc_version(void);

// WebP (trait WebP): one picture's chunks (ALPH, VP8, VP8L) pushed with their headers, without a container. -------------------
typedef struct ap_webp ap_webp;

// Whether libwebp is installed; it is loaded by the first call.
int32_t ap_webp_is_available(void);
// Rows of so many pixels, RGBA or RGB; scaled to that size, or that is the stored one. NULL without memory or libwebp.
ap_webp *ap_webp_create(uint32_t width, uint32_t height, int32_t has_alpha, int32_t is_scaled);
void ap_webp_destroy(ap_webp *webp);
ap_status ap_webp_push(ap_webp *webp, const uint8_t *bytes, size_t count, ap_row_fn row, void *context);
const char *ap_webp_message(const ap_webp *webp);
// Of the library found at run time, as 0xMMmmrr; 0 without one.
int32_t ap_webp_version(void);

// Deflate: zlib's inflate. ---------------------------------------------------------------------------------------
typedef struct ap_inflater ap_inflater;

ap_inflater *ap_inflater_create(void);
// The same inside gzip's header and checksum (RFC 1952).
ap_inflater *ap_inflater_create_gzip(void);
void ap_inflater_destroy(ap_inflater *inflater);
// Begins anew.
void ap_inflater_reset(ap_inflater *inflater);
// Decodes from in to out until either is used up; the counts become what was used of each. Says AP_FINISHED at the
// stream's end.
ap_status ap_inflater_some(
    ap_inflater *inflater, const uint8_t *in, uint32_t *in_count, uint8_t *out, uint32_t *out_count);

// TIFF: libtiff, loaded when first used, over bytes that can be read anywhere. --------------------------------
// Only with the trait TIFF.
// Reads at most count bytes at an offset; 0 at the end, -1 when that failed.
typedef ptrdiff_t (*ap_read_fn)(void *context, uint64_t offset, void *buffer, size_t count);

typedef struct ap_tiff ap_tiff;

// What libtiff shall make of the samples.
typedef enum __attribute__((enum_extensibility(closed))) ap_tiff_rendering : int32_t {
    AP_TIFF_STORED __attribute__((swift_name("stored"))) = 0,
    AP_TIFF_JPEG_RGB __attribute__((swift_name("jpegRGB"))) = 1,      // RGB of JPEG's YCbCr
    AP_TIFF_LOG_8BIT __attribute__((swift_name("log8Bit"))) = 2,      // grey or RGB of SGI's logarithms
    AP_TIFF_PIXAR_8BIT __attribute__((swift_name("pixar8Bit"))) = 3,  // of Pixar's logarithms
    AP_TIFF_PIXAR_16BIT __attribute__((swift_name("pixar16Bit"))) = 4,
} ap_tiff_rendering;

typedef struct ap_tiff_sizes {
    uint64_t row, strip, tile;  // bytes libtiff writes of each
    uint32_t columns, rows;     // pixels that share their chroma
} ap_tiff_sizes;

bool ap_tiff_load(void);
// The rest only after ap_tiff_load said true.
bool ap_tiff_has_codec(uint16_t compression);
ap_tiff *ap_tiff_create(ap_read_fn read, void *context, uint64_t size);
void ap_tiff_destroy(ap_tiff *tiff);
// Says AP_NEEDS_INPUT when rows can be read, as the reading functions do of each success.
ap_status ap_tiff_open(ap_tiff *tiff, ap_tiff_rendering rendering, size_t memory_limit);
void ap_tiff_get_sizes(ap_tiff *tiff, ap_tiff_sizes *out);
ap_status ap_tiff_read_row(ap_tiff *tiff, uint32_t y, uint16_t sample, void *buffer, size_t count);
ap_status ap_tiff_read_strip(ap_tiff *tiff, uint32_t strip, void *buffer, size_t count);
ap_status ap_tiff_read_tile(ap_tiff *tiff, uint32_t tile, void *buffer, size_t count);
const char *ap_tiff_message(const ap_tiff *tiff);
int32_t ap_tiff_damage(const ap_tiff *tiff);
int32_t ap_tiff_oddities(const ap_tiff *tiff);
const char *ap_tiff_version(void);

// GIF (trait GIF): one image's codes through giflib, loaded when first used. --------------------------------------
typedef struct ap_gif ap_gif;

// Offsets in the file: of the image's separator, of the byte that says how many bits an index has (1 to 11), of the end.
typedef struct ap_gif_place {
    uint64_t image, index_bits, size;
} ap_gif_place;

bool ap_gif_load(void);
// The rest only after ap_gif_load said true, and nothing before ap_gif_open.
ap_gif *ap_gif_create(ap_read_fn read, void *context, ap_gif_place where);
void ap_gif_destroy(ap_gif *gif);
// Goes to the begin of the codes, at first or again; says AP_NEEDS_INPUT, as ap_gif_read_line does of each success.
ap_status ap_gif_open(ap_gif *gif);
// Counts what so many more codes stand for: AP_FINISHED when that is `most` indices or the codes end, AP_CORRUPT when
// one stands for nothing. To be asked for lines it must be opened again.
ap_status ap_gif_count(ap_gif *gif, uint64_t most, uint32_t codes, uint64_t *indices);
// The next `count` indices, of as many as were counted.
ap_status ap_gif_read_line(ap_gif *gif, uint8_t *line, size_t count);
// Whether the input could not be read.
bool ap_gif_has_failed(const ap_gif *gif);
const char *ap_gif_message(const ap_gif *gif);
// Of the headers it was built with; NULL when the library is missing.
const char *ap_gif_version(void);

#include "heif.h"

#endif
