#ifdef __linux__

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "CService.h"

// Clients that wait to be accepted; the system has a limit of its own.
#define BACKLOG 512

static int fail(int descriptor) {
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    return -error;
}

int ap_listen_tcp(const char *host, uint16_t port, uint16_t *bound) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_PASSIVE};
    struct addrinfo *address = NULL;
    if (getaddrinfo(host, NULL, &hints, &address) != 0 || !address) return -EADDRNOTAVAIL;
    struct sockaddr_storage name;
    socklen_t size = address->ai_addrlen;
    int family = address->ai_family;
    memcpy(&name, address->ai_addr, size);
    freeaddrinfo(address);
    if (family == AF_INET6) {
        ((struct sockaddr_in6 *)&name)->sin6_port = htons(port);
    } else {
        ((struct sockaddr_in *)&name)->sin_port = htons(port);
    }
    int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return fail(descriptor);
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(descriptor, (struct sockaddr *)&name, size) != 0 || listen(descriptor, BACKLOG) != 0)
        return fail(descriptor);
    size = sizeof name;
    if (getsockname(descriptor, (struct sockaddr *)&name, &size) != 0) return fail(descriptor);
    *bound = ntohs(family == AF_INET6 ? ((struct sockaddr_in6 *)&name)->sin6_port
                                      : ((struct sockaddr_in *)&name)->sin_port);
    return descriptor;
}

int ap_listen_unix(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof name.sun_path) return -ENAMETOOLONG;
    strcpy(name.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return fail(descriptor);
    if (bind(descriptor, (struct sockaddr *)&name, sizeof name) != 0) {
        if (errno != EADDRINUSE) return fail(descriptor);
        // Somebody lives there, or died there. A file that is no socket refuses connections too, and stays.
        struct stat status;
        bool is_socket = lstat(path, &status) == 0 && S_ISSOCK(status.st_mode);
        int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int answer = connect(probe, (struct sockaddr *)&name, sizeof name) == 0 ? 0 : errno;
        if (probe >= 0) close(probe);
        errno = EADDRINUSE;
        if (!is_socket || answer != ECONNREFUSED) return fail(descriptor);
        if (unlink(path) != 0 || bind(descriptor, (struct sockaddr *)&name, sizeof name) != 0)
            return fail(descriptor);
    }
    if (listen(descriptor, BACKLOG) != 0) return fail(descriptor);
    return descriptor;
}

bool ap_is_listening(int descriptor, bool *is_unix) {
    int listening = 0, type = 0;
    socklen_t size = sizeof listening;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || !listening) return false;
    size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return false;
    struct sockaddr_storage name = {0};
    size = sizeof name;
    if (getsockname(descriptor, (struct sockaddr *)&name, &size) != 0) return false;
    *is_unix = name.ss_family == AF_UNIX;
    return true;
}

#endif
