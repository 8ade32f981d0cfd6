#if defined(__linux__) && defined(AP_SERVICE)

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "CLate.h"
#include "CNet.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo

#define FUNCTIONS(X) \
    X(curl_global_init) X(curl_easy_init) X(curl_easy_cleanup) X(curl_easy_setopt) X(curl_easy_perform) \
    X(curl_easy_getinfo) X(curl_easy_strerror) X(curl_slist_append) X(curl_slist_free_all) X(curl_version_info) \
    X(curl_url) X(curl_url_cleanup) X(curl_url_set) X(curl_url_get) X(curl_free)
FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libcurl.so.4", symbols);

// libidn2 turns names in Unicode into ASCII; libcurl would do it by the locale, which a service has not set.
int idn2_to_ascii_8z(const char *input, char **output, int flags);
void idn2_free(void *pointer);
#define IDN_FUNCTIONS(X) X(idn2_to_ascii_8z) X(idn2_free)
IDN_FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol idn_symbols[] = {IDN_FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library idn_library = AP_LATE_LIBRARY("libidn2.so.0", idn_symbols);
#define IDN_NONTRANSITIONAL 8  // idn2.h: IDN2_NONTRANSITIONAL

static bool is_ready;
static void begin(void) { is_ready = late_curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }

static bool load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!ap_late_load(&library)) return false;
    pthread_once(&once, begin);
    return is_ready;
}

const char *ap_curl_version(void) { return load() ? late_curl_version_info(CURLVERSION_NOW)->version : NULL; }

// A transfer on its way ---------------------------------------------------------------------------------------

typedef struct transfer {
    const ap_transfer_request *request;
    bool was_stopped;
} transfer;

// Called for every address that is tried, after the name was resolved: what is checked here is what is connected to.
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    const ap_transfer_request *request = ((transfer *)context)->request;
    const void *raw = &address->addr;  // libcurl keeps the longer kinds there too
    if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
    bool may = false;
    if (address->family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, raw, sizeof in);
        may = request->may_connect(request->context, (const uint8_t *)&in.sin_addr, 4, ntohs(in.sin_port));
    } else if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 in;
        memcpy(&in, raw, sizeof in);
        may = request->may_connect(request->context, in.sin6_addr.s6_addr, 16, ntohs(in.sin6_port));
    }
    if (!may) return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t take_header(char *bytes, size_t size, size_t count, void *context) {
    transfer *own = context;
    size_t length = size * count;
    while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) length--;
    if (own->request->header(own->request->context, bytes, length)) return size * count;
    own->was_stopped = true;
    return 0;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
    transfer *own = context;
    if (own->request->body(own->request->context, (const uint8_t *)bytes, size * count)) return size * count;
    own->was_stopped = true;
    return 0;
}

static int take_progress(void *context, curl_off_t total, curl_off_t done, curl_off_t up, curl_off_t sent) {
    (void)total, (void)done, (void)up, (void)sent;
    transfer *own = context;
    if (!own->request->should_stop(own->request->context)) return 0;
    own->was_stopped = true;
    return 1;
}

static bool set_options(CURL *curl, transfer *own, struct curl_slist *headers, char *message) {
    const ap_transfer_request *request = own->request;
    int bad = 0;
#define SET(option, value) bad |= late_curl_easy_setopt(curl, option, value) != CURLE_OK
    SET(CURLOPT_ERRORBUFFER, message);
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_HTTPHEADER, headers);
    // Nothing of the environment decides where bytes go.
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_NOSIGNAL, 1L);
    // A reused connection would not ask open_socket again.
    SET(CURLOPT_FRESH_CONNECT, 1L);
    SET(CURLOPT_FORBID_REUSE, 1L);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, own);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, own);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, own);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, take_progress);
    SET(CURLOPT_XFERINFODATA, own);
    SET(CURLOPT_BUFFERSIZE, 65536L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_timeout_ms);
    SET(CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
    SET(CURLOPT_LOW_SPEED_LIMIT, (long)request->low_speed);
    SET(CURLOPT_LOW_SPEED_TIME, (long)request->low_speed_seconds);
    if (request->post) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDS, request->post);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->post_count);
    }
    if (request->ca_file) {
        SET(CURLOPT_CAINFO, request->ca_file);
        SET(CURLOPT_CAPATH, (char *)NULL);
    }
#undef SET
    return !bad;
}

static ap_transfer_end end_of(CURLcode code, const transfer *own) {
    if (code == CURLE_OK) return AP_TRANSFER_DONE;
    if (own->was_stopped) return AP_TRANSFER_STOPPED;
    switch (code) {
    case CURLE_URL_MALFORMAT: return AP_TRANSFER_BAD_URL;
    case CURLE_COULDNT_RESOLVE_HOST: return AP_TRANSFER_NO_NAME;
    case CURLE_COULDNT_CONNECT: return AP_TRANSFER_NO_CONNECTION;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_PEER_FAILED_VERIFICATION: return AP_TRANSFER_TLS;
    case CURLE_OPERATION_TIMEDOUT: return AP_TRANSFER_TIMEOUT;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return AP_TRANSFER_BROKEN;
    default: return AP_TRANSFER_FAILED;
    }
}

static struct curl_slist *list_of(const ap_transfer_request *request) {
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

void ap_transfer_run(const ap_transfer_request *request, ap_transfer_result *result) {
    memset(result, 0, sizeof *result);
    result->end = AP_TRANSFER_NO_LIBRARY;
    CURL *curl = load() ? late_curl_easy_init() : NULL;
    if (!curl) return;
    transfer own = {.request = request};
    char message[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = list_of(request);
    bool is_set = (headers || request->header_count == 0) && set_options(curl, &own, headers, message);
    CURLcode code = is_set ? late_curl_easy_perform(curl) : CURLE_FAILED_INIT;
    result->end = end_of(code, &own);
    late_curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &result->status);
    if (code != CURLE_OK) {
        snprintf(result->message, sizeof result->message, "%s", message[0] ? message : late_curl_easy_strerror(code));
    }
    late_curl_slist_free_all(headers);
    late_curl_easy_cleanup(curl);
}

// Addresses ---------------------------------------------------------------------------------------------------

static char *part(CURLU *url, CURLUPart what, unsigned flags) {
    char *text = NULL;
    if (late_curl_url_get(url, what, &text, flags) != CURLUE_OK) return NULL;
    char *copy = strdup(text);
    late_curl_free(text);
    return copy;
}

// Puts a host of Unicode letters into ASCII; false where that cannot be done.
static bool make_ascii(CURLU *url, const char *host) {
    bool is_ascii = true;
    for (const char *p = host; *p; p++) is_ascii &= (unsigned char)*p < 0x80;
    if (is_ascii) return true;
    char *ascii = NULL;
    if (!ap_late_load(&idn_library)) return false;
    if (late_idn2_to_ascii_8z(host, &ascii, IDN_NONTRANSITIONAL) != 0) return false;
    bool is_set = late_curl_url_set(url, CURLUPART_HOST, ascii, 0) == CURLUE_OK;
    late_idn2_free(ascii);
    return is_set;
}

ap_transfer_end ap_url_parse(const char *base, const char *text, ap_url_parts *parts) {
    memset(parts, 0, sizeof *parts);
    CURLU *url = load() ? late_curl_url() : NULL;
    if (!url) return AP_TRANSFER_NO_LIBRARY;
    ap_transfer_end end = AP_TRANSFER_BAD_URL;
    char *host = NULL;
    if (base && late_curl_url_set(url, CURLUPART_URL, base, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) goto done;
    if (late_curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) goto done;
    host = part(url, CURLUPART_HOST, 0);
    if (host && *host && !make_ascii(url, host)) goto done;
    late_curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0);
    parts->url = part(url, CURLUPART_URL, 0);
    parts->scheme = part(url, CURLUPART_SCHEME, 0);
    parts->host = part(url, CURLUPART_HOST, 0);
    parts->user = part(url, CURLUPART_USER, 0);
    parts->path = part(url, CURLUPART_PATH, 0);
    if (parts->url && parts->scheme) end = AP_TRANSFER_DONE;
done:
    free(host);
    late_curl_url_cleanup(url);
    if (end != AP_TRANSFER_DONE) ap_url_free(parts);
    return end;
}

void ap_url_free(ap_url_parts *parts) {
    free(parts->url);
    free(parts->scheme);
    free(parts->host);
    free(parts->user);
    free(parts->path);
    memset(parts, 0, sizeof *parts);
}

#endif
