#include "CJPEGOracle.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

struct oracle {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf trap;
    jvirt_barray_ptr *arrays;
};

static void on_error(j_common_ptr info) { longjmp(*(jmp_buf *)info->client_data, 1); }

static void on_message(j_common_ptr info, int level) {
    if (level < 0) info->err->num_warnings++;
}

oracle *oracle_read(const uint8_t *bytes, size_t count) {
    oracle *it = calloc(1, sizeof *it);
    it->info.err = jpeg_std_error(&it->errors);
    it->errors.error_exit = on_error;
    it->errors.emit_message = on_message;
    it->info.client_data = &it->trap;
    if (setjmp(it->trap)) {
        oracle_free(it);
        return NULL;
    }
    jpeg_create_decompress(&it->info);
    jpeg_mem_src(&it->info, bytes, count);
    jpeg_read_header(&it->info, TRUE);
    it->arrays = jpeg_read_coefficients(&it->info);
    return it;
}

void oracle_free(oracle *it) {
    if (!it) return;
    jpeg_destroy_decompress(&it->info);
    free(it);
}

int oracle_warnings(const oracle *it) { return (int)it->errors.num_warnings; }
int oracle_components(const oracle *it) { return it->info.num_components; }
int oracle_blocks_wide(const oracle *it, int i) { return (int)it->info.comp_info[i].width_in_blocks; }
int oracle_blocks_high(const oracle *it, int i) { return (int)it->info.comp_info[i].height_in_blocks; }

void oracle_block(oracle *it, int component, int column, int row, int16_t out[64]) {
    JBLOCKARRAY rows = it->info.mem->access_virt_barray(
        (j_common_ptr)&it->info, it->arrays[component], (JDIMENSION)row, 1, FALSE);
    memcpy(out, rows[0][column], 64 * sizeof *out);
}

static void set_scans(struct jpeg_compress_struct *info, jpeg_scan_info *scans) {
    int n = 0;
    int bands = info->progressive_mode ? 2 : 1;
    for (int band = 0; band < bands; band++) {
        for (int i = 0; i < info->num_components; i++) {
            jpeg_scan_info scan = {.comps_in_scan = 1, .component_index = {i}, .Se = 63};
            if (info->progressive_mode) {
                scan.Ss = band == 0 ? 0 : 1;
                scan.Se = band == 0 ? 0 : 63;
            }
            scans[n++] = scan;
        }
    }
    info->scan_info = scans;
    info->num_scans = n;
}

static void write_rows(struct jpeg_compress_struct *info, uint8_t *row) {
    uint32_t random = 1;
    while (info->next_scanline < info->image_height) {
        for (JDIMENSION x = 0; x < info->image_width; x++) {
            for (int i = 0; i < info->input_components; i++) {
                random = random * 1664525 + 1013904223;
                row[(int)x * info->input_components + i] =
                    (uint8_t)(x * (unsigned)(i + 2) + info->next_scanline * 3 + (random >> 27));
            }
        }
        jpeg_write_scanlines(info, &row, 1);
    }
}

uint8_t *oracle_write(const oracle_picture *picture, size_t *count) {
    struct jpeg_compress_struct info = {0};
    struct jpeg_error_mgr errors;
    jmp_buf trap;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    jpeg_scan_info scans[8];
    uint8_t *row = malloc((size_t)picture->width * (size_t)picture->components);
    info.err = jpeg_std_error(&errors);
    errors.error_exit = on_error;
    info.client_data = &trap;
    if (setjmp(trap)) {
        jpeg_destroy_compress(&info);
        free(row);
        return NULL;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_width = (JDIMENSION)picture->width;
    info.image_height = (JDIMENSION)picture->height;
    info.input_components = picture->components;
    info.in_color_space = picture->components == 1 ? JCS_GRAYSCALE
                          : picture->components == 3 ? JCS_YCbCr : JCS_CMYK;
    jpeg_set_defaults(&info);
    if (picture->ycck) jpeg_set_colorspace(&info, JCS_YCCK);
    for (int i = 0; i < picture->components; i++) {
        info.comp_info[i].h_samp_factor = picture->across[i];
        info.comp_info[i].v_samp_factor = picture->down[i];
    }
    if (picture->progressive) jpeg_simple_progression(&info);
    if (picture->alone) set_scans(&info, scans);
    info.restart_interval = (unsigned)picture->restart;
    jpeg_start_compress(&info, TRUE);
    write_rows(&info, row);
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    free(row);
    *count = size;
    return bytes;
}
