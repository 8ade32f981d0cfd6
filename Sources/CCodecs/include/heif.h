// HEIF's codecs, each decoding one coded picture: libde265 for HEVC, dav1d for AV1. Part of CCodecs.h.
#ifndef AP_HEIF_H
#define AP_HEIF_H

// A decoded picture's planes, of the decoder that gave them, valid until it is used again.
typedef struct ap_planes {
    const void *plane[3];   // luma, Cb, Cr; the latter two are NULL in a monochrome picture
    int64_t stride[3];      // bytes from one row to the next
    int32_t width, height;  // of luma
    int32_t bits;           // of a sample, which takes two bytes above 8
    int32_t across, down;   // log2 of luma samples for one of chroma
    int32_t full_range;     // what the stream says of its colours (ITU-T H.273)
    int32_t primaries, transfer, matrix;
    int32_t siting;         // AV1's chroma_sample_position
} ap_planes;

// HEVC. ------------------------------------------------------------------------------------------------------
typedef struct ap_hevc ap_hevc;

int32_t ap_hevc_is_available(void);
// NULL for want of memory or of the library. No picture of more than most_pixels is allocated.
// With unfiltered the filters after reconstruction are left out, which no other block of a still picture depends on.
ap_hevc *ap_hevc_create(uint64_t most_pixels, int32_t unfiltered);
void ap_hevc_destroy(ap_hevc *hevc);
// Some bytes of a NAL unit, without start code; is_start with the first, is_end with the last ones, which are then decoded.
ap_status ap_hevc_push(ap_hevc *hevc, const uint8_t *bytes, size_t count, int32_t is_start, int32_t is_end);
// After the last NAL unit: the first picture, AP_FINISHED.
ap_status ap_hevc_finish(ap_hevc *hevc, ap_planes *out);
const char *ap_hevc_message(const ap_hevc *hevc);
// NULL when the library is missing; so too for dav1d.
const char *ap_hevc_version(void);

// AV1. -------------------------------------------------------------------------------------------------------
typedef struct ap_av1 ap_av1;

int32_t ap_av1_is_available(void);
// Reads a sequence header OBU into everything of out but planes and strides.
ap_status ap_av1_sequence(const uint8_t *bytes, size_t count, ap_planes *out);
// NULL for want of memory or of the library. layer: the spatial layer to show, -1 for the highest one of the operating point.
ap_av1 *ap_av1_create(uint64_t most_pixels, int32_t operating_point, int32_t layer);
void ap_av1_destroy(ap_av1 *av1);
// One or several whole OBUs, which stay where they are until the decoder is destroyed, or none at the end. AP_FINISHED when out holds the picture.
ap_status ap_av1_push(ap_av1 *av1, const uint8_t *bytes, size_t count, ap_planes *out);
const char *ap_av1_message(const ap_av1 *av1);
const char *ap_av1_version(void);

#endif
