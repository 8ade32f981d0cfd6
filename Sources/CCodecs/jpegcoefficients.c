// Coefficients into libjpeg-turbo, instead of entropy-coded data: its own inverse transforms, upsampling and colours
// follow, so pixels are what its decoder would give.
#if defined(__linux__)

#include "jpegstate.h"

#include <jpegint.h>  // libjpeg-turbo installs it: the interfaces between its stages
#include <jerror.h>

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
        if (!component->quant_table) return ap_jpeg_end(jpeg, AP_CORRUPT);
    }
    info->comps_in_scan = 1;
    if (jpeg->smooths) {
        if (!start_smoothing(jpeg)) return ap_jpeg_end(jpeg, AP_CORRUPT);
    } else {
        if (!jpeg_start_decompress(info)) return ap_jpeg_end(jpeg, AP_CORRUPT);
        info->coef->decompress_data = transform_row;
    }
    jpeg->row = malloc((size_t)info->output_width * (size_t)info->output_components);
    if (!jpeg->row) return ap_jpeg_end(jpeg, AP_MEMORY);
    jpeg->phase = PHASE_ROWS;
    return AP_NEEDS_INPUT;
}

ap_status ap_jpeg_push_coefficients(ap_jpeg *jpeg, const ap_jpeg_plane *planes, int is_good, ap_row_fn row,
                                    void *context) {
    if (jpeg->phase == PHASE_OVER) return jpeg->over;
    if (setjmp(jpeg->trap)) return ap_jpeg_end_with_error(jpeg);
    if (jpeg->phase == PHASE_STARTING) {
        ap_status status = start_coefficients(jpeg);
        if (status != AP_NEEDS_INPUT) return status;
    }
    if (jpeg->phase != PHASE_ROWS) return ap_jpeg_end(jpeg, AP_CORRUPT);
    jpeg->planes = planes;
    // Rows behind the last good one are taken to be known as before the last scan.
    if (is_good) jpeg->info.master->last_good_iMCU_row = jpeg->info.output_iMCU_row;
    ap_status status = ap_jpeg_deliver_rows(jpeg, row, context);
    jpeg->planes = NULL;
    return jpeg->phase == PHASE_ENDING ? ap_jpeg_end(jpeg, AP_FINISHED) : status;
}

#endif
