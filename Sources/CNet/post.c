#if defined(__linux__) && defined(AP_SERVICE)

#include <stdio.h>
#include <string.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "CLate.h"
#include "upload.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo

#define FUNCTIONS(X) \
    X(curl_easy_init) X(curl_easy_cleanup) X(curl_easy_setopt) X(curl_easy_perform) X(curl_easy_getinfo) \
    X(curl_easy_strerror) X(curl_slist_append) X(curl_slist_free_all)
FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libcurl.so.4", symbols);

// The answer's body is for people.
static size_t drop(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

static int ask(void *context, curl_off_t total, curl_off_t done, curl_off_t up, curl_off_t sent) {
    (void)total, (void)done, (void)up, (void)sent;
    const ap_post_request *request = context;
    return request->should_stop(request->context);
}

static bool set_options(CURL *curl, const ap_post_request *request, struct curl_slist *headers, char *message) {
    int bad = 0;
#define SET(option, value) bad |= late_curl_easy_setopt(curl, option, value) != CURLE_OK
    SET(CURLOPT_ERRORBUFFER, message);
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDS, request->body);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_count);
    SET(CURLOPT_WRITEFUNCTION, drop);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, ask);
    SET(CURLOPT_XFERINFODATA, (void *)request);
    SET(CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
    if (request->ca_file) {
        SET(CURLOPT_CAINFO, request->ca_file);
        SET(CURLOPT_CAPATH, (char *)NULL);
    }
#undef SET
    return !bad;
}

static struct curl_slist *list_of(const ap_post_request *request) {
    struct curl_slist *list = NULL;
    for (size_t i = 0; i < request->header_count; i++) {
        struct curl_slist *longer = late_curl_slist_append(list, request->headers[i]);
        if (!longer) {
            late_curl_slist_free_all(list);
            return NULL;
        }
        list = longer;
    }
    return list;
}

static ap_transfer_end end_of(CURLcode code) {
    switch (code) {
    case CURLE_OK: return AP_TRANSFER_DONE;
    case CURLE_ABORTED_BY_CALLBACK: return AP_TRANSFER_STOPPED;
    case CURLE_URL_MALFORMAT: return AP_TRANSFER_BAD_URL;
    case CURLE_COULDNT_RESOLVE_HOST: return AP_TRANSFER_NO_NAME;
    case CURLE_COULDNT_CONNECT: return AP_TRANSFER_NO_CONNECTION;
    case CURLE_OPERATION_TIMEDOUT: return AP_TRANSFER_TIMEOUT;
    default: return AP_TRANSFER_FAILED;
    }
}

void ap_post_run(const ap_post_request *request, long *status, ap_transfer_result *result) {
    memset(result, 0, sizeof *result);
    *status = 0;
    result->end = AP_TRANSFER_NO_LIBRARY;
    // The version's function also makes the library ready, once for the process.
    CURL *curl = ap_curl_version() && ap_late_load(&library) ? late_curl_easy_init() : NULL;
    if (!curl) return;
    char message[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = list_of(request);
    bool is_set = (headers || request->header_count == 0) && set_options(curl, request, headers, message);
    CURLcode code = is_set ? late_curl_easy_perform(curl) : CURLE_FAILED_INIT;
    result->end = end_of(code);
    if (code == CURLE_OK) {
        late_curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
    } else {
        snprintf(result->message, sizeof result->message, "%s", message[0] ? message : late_curl_easy_strerror(code));
    }
    late_curl_slist_free_all(headers);
    late_curl_easy_cleanup(curl);
}

#endif
