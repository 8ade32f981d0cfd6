// What the upload hook needs of the system that Swift cannot call.
#ifndef CNET_UPLOAD_H
#define CNET_UPLOAD_H

#include "CNet.h"

// Opens a file below a folder for reading, without blocking: no part of the path may be a link or lead out of
// the folder, whatever is changed meanwhile (openat2(2), Linux 5.6). The descriptor, or -1 and errno: ELOOP
// for a link, EXDEV for a way out, ENOSYS where the system has no such call.
int ap_open_beneath(int folder, const char *path);

// One POST of a body; nothing of the answer is kept but its status.
typedef struct ap_post_request {
    const char *url;
    const char *const *headers;  // "Name: value", header_count of them
    size_t header_count;
    const uint8_t *body;
    size_t body_count;
    const char *ca_file;         // NULL: the system's certificates
    int64_t timeout_ms;          // for all of it
    void *context;
    bool (*should_stop)(void *context);  // asked about once a second
} ap_post_request;

// Redirects are not followed, no proxy, cookies and netrc used. status is 0 without an answer.
void ap_post_run(const ap_post_request *request, long *status, ap_transfer_result *result);

#endif
