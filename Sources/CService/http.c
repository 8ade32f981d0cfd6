#if defined(__linux__) && defined(AP_SERVICE)

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "CLate.h"
#include "CService.h"

#define FUNCTIONS(X) \
    X(MHD_start_daemon) X(MHD_quiesce_daemon) X(MHD_stop_daemon) X(MHD_get_version) \
    X(MHD_get_connection_info) X(MHD_get_connection_values_n) \
    X(MHD_create_response_from_buffer) X(MHD_create_response_from_fd_at_offset64) \
    X(MHD_add_response_header) X(MHD_queue_response) X(MHD_destroy_response) \
    X(MHD_create_post_processor) X(MHD_post_process) X(MHD_destroy_post_processor)
FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libmicrohttpd.so.12", symbols);

const char *ap_http_version(void) { return ap_late_load(&library) ? late_MHD_get_version() : NULL; }

struct ap_http_server {
    struct MHD_Daemon *daemon;
    int quiesced;  // the socket that is not listened on any more, or -1
    ap_http_handlers handlers;
};

struct ap_http_exchange {
    struct MHD_Connection *connection;
    const char *method, *protocol;
    void *request;  // what begin gave
    const ap_http_handlers *handlers;
    bool has_begun, has_answer;
    char target[];
};

// Called before the library takes the target apart; what it gives is the exchange of the calls that follow.
static void *take_target(void *context, const char *target, struct MHD_Connection *connection) {
    size_t size = strlen(target) + 1;
    ap_http_exchange *exchange = calloc(1, sizeof *exchange + size);
    if (!exchange) return NULL;
    exchange->connection = connection;
    exchange->handlers = &((ap_http_server *)context)->handlers;
    memcpy(exchange->target, target, size);
    return exchange;
}

static enum MHD_Result take_call(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *protocol,
    const char *bytes, size_t *count, void **state) {
    (void)context, (void)connection, (void)url;
    ap_http_exchange *exchange = *state;
    if (!exchange) return MHD_NO;
    const ap_http_handlers *handlers = exchange->handlers;
    if (!exchange->has_begun) {
        exchange->has_begun = true;
        exchange->method = method;
        exchange->protocol = protocol;
        exchange->request = handlers->begin(handlers->context, exchange);
        return exchange->request ? MHD_YES : MHD_NO;
    }
    if (exchange->has_answer) {
        *count = 0;
        return MHD_YES;
    }
    if (*count > 0) {
        size_t size = *count;
        *count = 0;
        return handlers->body(exchange->request, (const uint8_t *)bytes, size) ? MHD_YES : MHD_NO;
    }
    return handlers->end(exchange->request) ? MHD_YES : MHD_NO;
}

static void take_done(
    void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
    (void)context, (void)connection, (void)code;
    ap_http_exchange *exchange = *state;
    if (!exchange) return;
    if (exchange->request) exchange->handlers->done(exchange->request);
    free(exchange);
    *state = NULL;
}

static int socket_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        late_MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static void take_connection(
    void *context, struct MHD_Connection *connection, void **state, enum MHD_ConnectionNotificationCode code) {
    (void)state;
    ap_http_server *server = context;
    server->handlers.connection(
        server->handlers.context, socket_of(connection), code == MHD_CONNECTION_NOTIFY_STARTED);
}

ap_http_server *ap_http_start(int socket, const ap_http_limits *limits, const ap_http_handlers *handlers) {
    if (!ap_late_load(&library)) return NULL;
    ap_http_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->handlers = *handlers;
    server->quiesced = -1;
    // A thread for each connection: their callbacks wait for decoders.
    server->daemon = late_MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC, 0,
        NULL, NULL, take_call, server,
        MHD_OPTION_LISTEN_SOCKET, socket,
        MHD_OPTION_CONNECTION_LIMIT, limits->connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits->connections_per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, limits->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits->connection_memory,
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)1 << 20,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_URI_LOG_CALLBACK, take_target, server,
        MHD_OPTION_NOTIFY_COMPLETED, take_done, server,
        MHD_OPTION_NOTIFY_CONNECTION, take_connection, server,
        MHD_OPTION_END);
    if (server->daemon) return server;
    free(server);
    return NULL;
}

void ap_http_quiesce(ap_http_server *server) {
    // Its thread may still look at the socket, so it is closed with the daemon.
    server->quiesced = late_MHD_quiesce_daemon(server->daemon);
    if (server->quiesced >= 0) shutdown(server->quiesced, SHUT_RD);
}

void ap_http_stop(ap_http_server *server) {
    late_MHD_stop_daemon(server->daemon);
    if (server->quiesced >= 0) close(server->quiesced);
    free(server);
}

const char *ap_http_method(const ap_http_exchange *exchange) { return exchange->method; }
const char *ap_http_target(const ap_http_exchange *exchange) { return exchange->target; }
const char *ap_http_protocol(const ap_http_exchange *exchange) { return exchange->protocol; }
int ap_http_socket(const ap_http_exchange *exchange) { return socket_of(exchange->connection); }

typedef struct header_walk {
    void *context;
    ap_http_header_fn take;
} header_walk;

static enum MHD_Result take_header(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
    (void)kind;
    header_walk *walk = context;
    walk->take(walk->context, name, name_size, value ? value : "", value ? value_size : 0);
    return MHD_YES;
}

void ap_http_each_header(const ap_http_exchange *exchange, void *context, ap_http_header_fn take) {
    header_walk walk = {context, take};
    late_MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, take_header, &walk);
}

bool ap_http_answer_with(ap_http_exchange *exchange, const ap_http_answer *answer) {
    struct MHD_Response *response;
    if (answer->file >= 0) {
        response = late_MHD_create_response_from_fd_at_offset64(
            answer->file_count, answer->file, answer->file_offset);
        if (!response) close(answer->file);
    } else {
        response = late_MHD_create_response_from_buffer(
            answer->count, (void *)answer->bytes, MHD_RESPMEM_MUST_COPY);
    }
    if (!response) return false;
    bool is_good = true;
    for (size_t i = 0; i < answer->header_count; i++) {
        is_good &= late_MHD_add_response_header(
            response, answer->headers[2 * i], answer->headers[2 * i + 1]) == MHD_YES;
    }
    is_good = is_good && late_MHD_queue_response(exchange->connection, answer->status, response) == MHD_YES;
    late_MHD_destroy_response(response);
    exchange->has_answer = is_good;
    return is_good;
}

// Forms ---------------------------------------------------------------------------------------------------------

struct ap_http_form {
    struct MHD_PostProcessor *processor;
    void *context;
    ap_http_field_fn take;
};

static enum MHD_Result take_field(
    void *context, enum MHD_ValueKind kind, const char *name, const char *file, const char *type,
    const char *encoding, const char *bytes, uint64_t offset, size_t count) {
    (void)kind, (void)type, (void)encoding;
    ap_http_form *form = context;
    return form->take(form->context, name, file, offset, (const uint8_t *)bytes, count) ? MHD_YES : MHD_NO;
}

ap_http_form *ap_http_form_begin(ap_http_exchange *exchange, void *context, ap_http_field_fn take) {
    ap_http_form *form = calloc(1, sizeof *form);
    if (!form) return NULL;
    form->context = context;
    form->take = take;
    form->processor = late_MHD_create_post_processor(exchange->connection, 65536, take_field, form);
    if (form->processor) return form;
    free(form);
    return NULL;
}

bool ap_http_form_push(ap_http_form *form, const uint8_t *bytes, size_t count) {
    return late_MHD_post_process(form->processor, (const char *)bytes, count) == MHD_YES;
}

bool ap_http_form_end(ap_http_form *form) {
    bool is_whole = late_MHD_destroy_post_processor(form->processor) == MHD_YES;
    free(form);
    return is_whole;
}

#else

#include "CService.h"

const char *ap_http_version(void) { return 0; }
ap_http_server *ap_http_start(int socket, const ap_http_limits *limits, const ap_http_handlers *handlers) {
    (void)socket, (void)limits, (void)handlers;
    return 0;
}
void ap_http_quiesce(ap_http_server *server) { (void)server; }
void ap_http_stop(ap_http_server *server) { (void)server; }
const char *ap_http_method(const ap_http_exchange *exchange) { return (void)exchange, ""; }
const char *ap_http_target(const ap_http_exchange *exchange) { return (void)exchange, ""; }
const char *ap_http_protocol(const ap_http_exchange *exchange) { return (void)exchange, ""; }
int ap_http_socket(const ap_http_exchange *exchange) { return (void)exchange, -1; }
void ap_http_each_header(const ap_http_exchange *exchange, void *context, ap_http_header_fn take) {
    (void)exchange, (void)context, (void)take;
}
bool ap_http_answer_with(ap_http_exchange *exchange, const ap_http_answer *answer) {
    return (void)exchange, (void)answer, false;
}
ap_http_form *ap_http_form_begin(ap_http_exchange *exchange, void *context, ap_http_field_fn take) {
    return (void)exchange, (void)context, (void)take, (ap_http_form *)0;
}
bool ap_http_form_push(ap_http_form *form, const uint8_t *bytes, size_t count) {
    return (void)form, (void)bytes, (void)count, false;
}
bool ap_http_form_end(ap_http_form *form) { return (void)form, false; }

#endif
