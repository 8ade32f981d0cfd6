#include "CCrypto.h"

#ifdef __linux__

#include <limits.h>
#include <string.h>

#include <openssl/evp.h>

#include "CLate.h"

#define FUNCTIONS(X) \
    X(EVP_CIPHER_CTX_new) X(EVP_CIPHER_CTX_free) X(EVP_aes_256_gcm) X(EVP_DecryptInit_ex) \
    X(EVP_CIPHER_CTX_ctrl) X(EVP_DecryptUpdate) X(EVP_DecryptFinal_ex)
FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libcrypto.so.3", symbols);

ap_gcm_end ap_gcm_open(
    const uint8_t key[32], const uint8_t *nonce, size_t nonce_count, const uint8_t *extra, size_t extra_count,
    const uint8_t *sealed, size_t count, const uint8_t tag[16], uint8_t *plain) {
    if (nonce_count == 0 || nonce_count > INT_MAX || extra_count > INT_MAX || count > INT_MAX)
        return AP_GCM_FAILED;
    if (!ap_late_load(&library)) return AP_GCM_NO_LIBRARY;
    EVP_CIPHER_CTX *context = late_EVP_CIPHER_CTX_new();
    if (!context) return AP_GCM_FAILED;
    int written = 0;
    int good = late_EVP_DecryptInit_ex(context, late_EVP_aes_256_gcm(), NULL, NULL, NULL) == 1
        && late_EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IVLEN, (int)nonce_count, NULL) == 1
        && late_EVP_DecryptInit_ex(context, NULL, NULL, key, nonce) == 1
        && (extra_count == 0
            || late_EVP_DecryptUpdate(context, NULL, &written, extra, (int)extra_count) == 1)
        && (count == 0 || late_EVP_DecryptUpdate(context, plain, &written, sealed, (int)count) == 1)
        && late_EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, (void *)tag) == 1;
    uint8_t nothing[16];
    int is_genuine = good && late_EVP_DecryptFinal_ex(context, nothing, &written) == 1;
    late_EVP_CIPHER_CTX_free(context);
    // What was decrypted before the tag was looked at is nobody's to read.
    if (!is_genuine && count > 0) memset(plain, 0, count);
    return is_genuine ? AP_GCM_OPENED : good ? AP_GCM_FORGED : AP_GCM_FAILED;
}

#else

ap_gcm_end ap_gcm_open(
    const uint8_t key[32], const uint8_t *nonce, size_t nonce_count, const uint8_t *extra, size_t extra_count,
    const uint8_t *sealed, size_t count, const uint8_t tag[16], uint8_t *plain) {
    return AP_GCM_NO_LIBRARY;
}

#endif
