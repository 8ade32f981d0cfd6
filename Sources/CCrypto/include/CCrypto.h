// AES-256-GCM of OpenSSL's libcrypto, which is loaded when the first sealed payload comes (CLate.h).
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>
#include <stdint.h>

typedef enum __attribute__((enum_extensibility(closed))) ap_gcm_end : int32_t {
    AP_GCM_OPENED __attribute__((swift_name("opened"))) = 0,
    AP_GCM_FORGED __attribute__((swift_name("forged"))) = 1,         // the tag does not belong to the rest
    AP_GCM_FAILED __attribute__((swift_name("failed"))) = 2,         // libcrypto takes no such nonce, or has no memory
    AP_GCM_NO_LIBRARY __attribute__((swift_name("noLibrary"))) = 3,
} ap_gcm_end;

// Decrypts `count` bytes to as many (NIST SP 800-38D). `plain` holds zeros unless the tag is right.
ap_gcm_end ap_gcm_open(
    const uint8_t key[32], const uint8_t *nonce, size_t nonce_count, const uint8_t *extra, size_t extra_count,
    const uint8_t *sealed, size_t count, const uint8_t tag[16], uint8_t *plain);

#endif
