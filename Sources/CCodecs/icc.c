// Colour profiles through lcms2: what a profile says, and row transforms to sRGB.
#if defined(__linux__)

#include "CCodecs.h"

#if defined(AP_ICC)

#include <lcms2.h>
#include <stdlib.h>

#include "CLate.h"

#define FUNCTIONS(X)                                                                                        \
    X(cmsCreateContext) X(cmsDeleteContext) X(cmsSetLogErrorHandlerTHR) X(cmsOpenProfileFromMemTHR)         \
    X(cmsCloseProfile) X(cmsGetColorSpace) X(cmsGetDeviceClass) X(cmsIsTag) X(cmsReadTag)                  \
    X(cmsEvalToneCurveFloat) X(cmsCreate_sRGBProfileTHR) X(cmsCreateTransformTHR) X(cmsDeleteTransform)     \
    X(cmsDoTransform) X(cmsGetEncodedCMMversion)

FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("liblcms2.so.2", symbols);

struct ap_icc {
    cmsContext context;
    cmsHPROFILE profile;
};

// Errors of broken profiles are expected, and are no one's to print.
static void ignore(cmsContext context, cmsUInt32Number code, const char *text) {
    (void)context;
    (void)code;
    (void)text;
}

ap_icc *ap_icc_open(const uint8_t *bytes, size_t count) {
    if (count < 132 || count > UINT32_MAX || !ap_late_load(&library)) return NULL;
    ap_icc *icc = calloc(1, sizeof *icc);
    if (!icc) return NULL;
    icc->context = late_cmsCreateContext(NULL, NULL);
    if (icc->context) {
        late_cmsSetLogErrorHandlerTHR(icc->context, ignore);
        icc->profile = late_cmsOpenProfileFromMemTHR(icc->context, bytes, (cmsUInt32Number)count);
    }
    if (icc->profile) {
        switch (late_cmsGetDeviceClass(icc->profile)) {
        case cmsSigInputClass:
        case cmsSigDisplayClass:
        case cmsSigOutputClass:
        case cmsSigColorSpaceClass: return icc;
        default: break;
        }
    }
    ap_icc_close(icc);
    return NULL;
}

void ap_icc_close(ap_icc *icc) {
    if (!icc) return;
    if (icc->profile) late_cmsCloseProfile(icc->profile);
    if (icc->context) late_cmsDeleteContext(icc->context);
    free(icc);
}

ap_icc_space ap_icc_get_space(const ap_icc *icc) {
    switch (late_cmsGetColorSpace(icc->profile)) {
    case cmsSigGrayData: return AP_ICC_GRAY;
    case cmsSigRgbData: return AP_ICC_RGB;
    case cmsSigCmykData: return AP_ICC_CMYK;
    case cmsSigLabData: return AP_ICC_LAB;
    default: return AP_ICC_OTHER;
    }
}

int32_t ap_icc_is_simple(const ap_icc *icc) {
    // The tags that lcms2 would prefer for this intent.
    const cmsTagSignature tables[] = {cmsSigDToB1Tag, cmsSigAToB1Tag, cmsSigAToB0Tag};
    for (int i = 0; i < 3; i++) {
        if (late_cmsIsTag(icc->profile, tables[i])) return 0;
    }
    return 1;
}

int32_t ap_icc_get_curve(const ap_icc *icc, int channel, float *samples, size_t count) {
    const cmsTagSignature tags[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    if (channel < 0 || channel > 2 || count < 2) return 0;
    bool gray = ap_icc_get_space(icc) == AP_ICC_GRAY;
    const cmsToneCurve *curve = late_cmsReadTag(icc->profile, gray ? cmsSigGrayTRCTag : tags[channel]);
    if (!curve) return 0;
    for (size_t i = 0; i < count; i++) {
        samples[i] = late_cmsEvalToneCurveFloat(curve, (float)i / (float)(count - 1));
    }
    return 1;
}

int32_t ap_icc_get_colorants(const ap_icc *icc, double xyz[9]) {
    const cmsTagSignature tags[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
    for (int i = 0; i < 3; i++) {
        const cmsCIEXYZ *color = late_cmsReadTag(icc->profile, tags[i]);
        if (!color) return 0;
        xyz[3 * i] = color->X;
        xyz[3 * i + 1] = color->Y;
        xyz[3 * i + 2] = color->Z;
    }
    return 1;
}

struct ap_icc_transform {
    cmsContext context;
    cmsHTRANSFORM transform;
};

ap_icc_transform *ap_icc_transform_create(ap_icc *icc, ap_icc_rows rows) {
    cmsUInt32Number from = TYPE_RGB_8, to = TYPE_RGB_8, flags = cmsFLAGS_BLACKPOINTCOMPENSATION;
    switch (rows) {
    case AP_ICC_ROWS_RGB: break;
    case AP_ICC_ROWS_CMYK: from = TYPE_CMYK_8; break;
    case AP_ICC_ROWS_CMYK_INVERTED: from = TYPE_CMYK_8_REV; break;
    case AP_ICC_ROWS_RGBA: from = to = TYPE_RGBA_8; break;
    case AP_ICC_ROWS_RGBA_16: from = to = TYPE_RGBA_16; break;
    }
    if (T_EXTRA(from) > 0) flags |= cmsFLAGS_COPY_ALPHA;
    cmsHPROFILE sRGB = late_cmsCreate_sRGBProfileTHR(icc->context);
    ap_icc_transform *made = sRGB ? calloc(1, sizeof *made) : NULL;
    if (made) {
        made->transform =
            late_cmsCreateTransformTHR(icc->context, icc->profile, from, sRGB, to,
                                       INTENT_RELATIVE_COLORIMETRIC, flags);
        if (!made->transform) {
            free(made);
            made = NULL;
        }
    }
    if (sRGB) late_cmsCloseProfile(sRGB);
    if (made) {
        // The transform needs the context only; the profile can be large.
        made->context = icc->context;
        icc->context = NULL;
        late_cmsCloseProfile(icc->profile);
        icc->profile = NULL;
    }
    ap_icc_close(icc);
    return made;
}

void ap_icc_transform_destroy(ap_icc_transform *transform) {
    if (!transform) return;
    late_cmsDeleteTransform(transform->transform);
    late_cmsDeleteContext(transform->context);
    free(transform);
}

void ap_icc_transform_row(const ap_icc_transform *transform, const void *row, void *out, size_t width) {
    late_cmsDoTransform(transform->transform, row, out, (cmsUInt32Number)width);
}

int32_t ap_icc_version(void) { return ap_late_load(&library) ? late_cmsGetEncodedCMMversion() : 0; }

#endif
#endif
