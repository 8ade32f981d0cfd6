#include "upload.h"

#include <errno.h>

#ifdef __linux__

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int ap_open_beneath(int folder, const char *path) {
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    // glibc 2.36 has no function for it. EAGAIN: something was renamed meanwhile, and nobody can say what it
    // was.
    for (int tries = 0;; tries++) {
        long descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (descriptor >= 0) return (int)descriptor;
        if (errno != EINTR && (errno != EAGAIN || tries == 100)) return -1;
    }
}

#else

int ap_open_beneath(int folder, const char *path) {
    (void)folder, (void)path;
    errno = ENOSYS;
    return -1;
}

#endif
