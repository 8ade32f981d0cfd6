// What Swift cannot call of libcurl (its option functions are variadic), as one transfer at a time.
//
// libcurl is loaded when the first link comes (CLate.h), so a process without links does not pay for it.
#ifndef CNET_H
#define CNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One request, one answer: redirects are not followed, connections not reused, no proxy and no netrc asked.
typedef struct ap_transfer_request {
    const char *url;
    const char *const *headers;  // "Name: value", header_count of them
    size_t header_count;
    const char *ca_file;         // NULL: the system's certificates
    int64_t connect_timeout_ms;
    int64_t timeout_ms;          // 0: none
    int64_t low_speed;           // bytes a second that a transfer may not stay under ...
    int64_t low_speed_seconds;   // ... for so long
    const uint8_t *post;         // NULL: a GET, else a POST of these bytes
    size_t post_count;

    // Called on the caller's thread while ap_transfer_run runs, with this context.
    void *context;
    // Whether a socket may be opened to an address of 4 or 16 bytes: asked for every address that is tried.
    bool (*may_connect)(void *context, const uint8_t *address, size_t count, uint16_t port);
    // A header line without its line end, the status line among them; an answer's last is empty. False stops.
    bool (*header)(void *context, const char *line, size_t count);
    // A piece of the body. False stops.
    bool (*body)(void *context, const uint8_t *bytes, size_t count);
    // Asked about once a second, and whenever something comes.
    bool (*should_stop)(void *context);
} ap_transfer_request;

typedef enum __attribute__((enum_extensibility(closed))) ap_transfer_end : int32_t {
    AP_TRANSFER_DONE __attribute__((swift_name("done"))) = 0,
    AP_TRANSFER_STOPPED __attribute__((swift_name("stopped"))) = 1,        // a callback said so
    AP_TRANSFER_BAD_URL __attribute__((swift_name("badURL"))) = 2,
    AP_TRANSFER_NO_NAME __attribute__((swift_name("noName"))) = 3,         // the host's name does not resolve
    AP_TRANSFER_NO_CONNECTION __attribute__((swift_name("noConnection"))) = 4,
    AP_TRANSFER_TLS __attribute__((swift_name("tls"))) = 5,
    AP_TRANSFER_TIMEOUT __attribute__((swift_name("timeout"))) = 6,        // timeout_ms, or too slow
    AP_TRANSFER_BROKEN __attribute__((swift_name("broken"))) = 7,          // ended in the middle
    AP_TRANSFER_FAILED __attribute__((swift_name("failed"))) = 8,          // anything else
    AP_TRANSFER_NO_LIBRARY __attribute__((swift_name("noLibrary"))) = 9,   // libcurl is missing
} ap_transfer_end;

typedef struct ap_transfer_result {
    ap_transfer_end end;
    long status;        // of the answer; 0 without one
    char message[256];  // libcurl's own words
} ap_transfer_result;

void ap_transfer_run(const ap_transfer_request *request, ap_transfer_result *result);

// The parts of an address as libcurl, which will go there, understands them.
typedef struct ap_url_parts {
    char *url, *scheme, *host, *user, *path;  // NULL where there is none
} ap_url_parts;

// Parses an absolute address, or one relative to an absolute base (NULL for none); a host in Unicode becomes IDNA's
// ASCII. AP_TRANSFER_DONE, _BAD_URL or _NO_LIBRARY.
ap_transfer_end ap_url_parse(const char *base, const char *text, ap_url_parts *parts);
void ap_url_free(ap_url_parts *parts);

// "7.88.1", or NULL without libcurl.
const char *ap_curl_version(void);

#include "upload.h"

#endif
