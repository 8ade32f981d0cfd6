// libjpeg-turbo as the judge of our own decoder, and as a writer of files that its commands cannot make.
#ifndef CJPEGORACLE_H
#define CJPEGORACLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct oracle oracle;

// Reads every coefficient; NULL when libjpeg gives up. What is missing or damaged is as libjpeg leaves it.
oracle *oracle_read(const uint8_t *bytes, size_t count);
void oracle_free(oracle *oracle);
int oracle_warnings(const oracle *oracle);
int oracle_components(const oracle *oracle);
int oracle_blocks_wide(const oracle *oracle, int component);
int oracle_blocks_high(const oracle *oracle, int component);
// The 64 coefficients of a block in row-major order.
void oracle_block(oracle *oracle, int component, int column, int row, int16_t out[64]);

typedef struct oracle_picture {
    int width, height;
    int components;      // 1 grey, 3 stored as they are, 4 CMYK
    int ycck;            // stores CMYK as YCCK
    int across[4], down[4];
    int progressive;
    int alone;           // each component in scans of its own
    int restart;         // MCUs between restart markers
} oracle_picture;

// Writes a picture of noise and slopes; the caller frees the bytes.
uint8_t *oracle_write(const oracle_picture *picture, size_t *count);

#endif
