// What a service needs of C: an HTTP server over libmicrohttpd (its functions are variadic), loaded when a service
// starts, and the starting and confining of decoder processes.
#ifndef CSERVICE_H
#define CSERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Listening -----------------------------------------------------------------------------------------------------

// Listens on an address in figures (IPv4 or IPv6); port 0 takes a free one, and *bound says which.
// A descriptor, or -errno.
int ap_listen_tcp(const char *host, uint16_t port, uint16_t *bound);
// Listens on a path, which a dead server may have left; -EADDRINUSE where one lives. A descriptor, or -errno.
int ap_listen_unix(const char *path);
// Whether a descriptor is a listening stream socket; *is_unix says of which kind.
bool ap_is_listening(int descriptor, bool *is_unix);

// HTTP ----------------------------------------------------------------------------------------------------------

typedef struct ap_http_server ap_http_server;
// A request on its way, and the place for its answer.
typedef struct ap_http_exchange ap_http_exchange;

// Called on the thread of the connection, which may block; every connection has its own.
typedef struct ap_http_handlers {
    void *context;
    // A connection came, or is about to be closed; its descriptor is valid from the one to the other.
    void (*connection)(void *context, int descriptor, bool is_open);
    // The head is there. Answers at once, or not yet. What it gives is handed to the following; NULL cuts the line.
    void *(*begin)(void *context, ap_http_exchange *exchange);
    // A piece of the body; false cuts the line. No answer may be given here.
    bool (*body)(void *request, const uint8_t *bytes, size_t count);
    // The body is whole: answers. False cuts the line.
    bool (*end)(void *request);
    // The last call, after the answer left or the line was cut.
    void (*done)(void *request);
} ap_http_handlers;

typedef struct ap_http_limits {
    unsigned connections;
    unsigned connections_per_address;  // 0: no limit
    unsigned idle_seconds;
    size_t connection_memory;          // bytes of head at most
} ap_http_limits;

// NULL where the library is missing or has no thread to be had. The socket is the server's then.
ap_http_server *ap_http_start(int socket, const ap_http_limits *limits, const ap_http_handlers *handlers);
// Takes no more connections.
void ap_http_quiesce(ap_http_server *server);
// Ends all connections and waits for their threads.
void ap_http_stop(ap_http_server *server);
// "0.9.75", or NULL without the library.
const char *ap_http_version(void);

const char *ap_http_method(const ap_http_exchange *exchange);
// As it was sent, query and all.
const char *ap_http_target(const ap_http_exchange *exchange);
const char *ap_http_protocol(const ap_http_exchange *exchange);
int ap_http_socket(const ap_http_exchange *exchange);
typedef void (*ap_http_header_fn)(
    void *context, const char *name, size_t name_size, const char *value, size_t value_size);
void ap_http_each_header(const ap_http_exchange *exchange, void *context, ap_http_header_fn take);

typedef struct ap_http_answer {
    unsigned status;
    const char *const *headers;  // name, value, name, value ...
    size_t header_count;         // of names
    const uint8_t *bytes;        // the body, copied
    size_t count;
    int file;                    // or the body's descriptor, which is taken over; -1 for none
    uint64_t file_offset;
    uint64_t file_count;
} ap_http_answer;

// Only in begin (the body is then not read) and end.
bool ap_http_answer_with(ap_http_exchange *exchange, const ap_http_answer *answer);

// A piece of a form's field; `file` is NULL for a field that is no file. False ends it.
typedef bool (*ap_http_field_fn)(
    void *context, const char *name, const char *file, uint64_t offset, const uint8_t *bytes, size_t count);
typedef struct ap_http_form ap_http_form;
// A reader of multipart/form-data; NULL where the exchange's Content-Type is not that, or says no boundary.
ap_http_form *ap_http_form_begin(ap_http_exchange *exchange, void *context, ap_http_field_fn take);
bool ap_http_form_push(ap_http_form *form, const uint8_t *bytes, size_t count);
// Whether the form was whole; frees it.
bool ap_http_form_end(ap_http_form *form);

// Processes ------------------------------------------------------------------------------------------------------

// Starts this program anew with the arguments, in a process group of its own; `first` becomes its descriptor 0,
// `second` its 3, and what it prints goes nowhere. 0, or errno.
int ap_program_start(char *const arguments[], int first, int second, pid_t *process);
// Lets all threads allocate from one arena, so that each uses again what another freed. Where malloc has no arenas,
// nothing.
void ap_one_arena(void);
// Two ends of a stream between processes, closed on exec. 0, or errno.
int ap_socket_pair(int ends[2]);
// Sends bytes with a descriptor, which is not closed. Bytes sent, or -errno.
ssize_t ap_send_descriptor(int socket, const uint8_t *bytes, size_t count, int descriptor);
// Receives bytes, and a descriptor if one comes along (else -1). Bytes received, or -errno.
ssize_t ap_receive_descriptor(int socket, uint8_t *bytes, size_t count, int *descriptor);
// What of memory and, from now on, of CPU seconds the calling process may take; no core files. 0, or errno.
int ap_decoder_limit(uint64_t memory, uint64_t seconds);
// Takes from the calling process, for good, what no decoder needs: starting programs, looking into other processes,
// changing what the system is made of. False without libseccomp.
bool ap_decoder_confine(void);

#endif
