// What the halves of the JPEG shim share: jpeg.c, where bytes come in, and jpegcoefficients.c, where coefficients do.
#ifndef AP_JPEG_STATE_H
#define AP_JPEG_STATE_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

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

// Ends the decode with an answer, which is given to every call from then on.
ap_status ap_jpeg_end(ap_jpeg *jpeg, ap_status status);
// Ends it with what libjpeg's last error means.
ap_status ap_jpeg_end_with_error(ap_jpeg *jpeg);
// Hands on rows as far as libjpeg has any.
ap_status ap_jpeg_deliver_rows(ap_jpeg *jpeg, ap_row_fn row, void *context);

#endif
