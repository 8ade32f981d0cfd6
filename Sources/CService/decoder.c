#ifdef __linux__

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "CLate.h"
#include "CService.h"

extern char **environ;

int ap_program_start(char *const arguments[], int first, int second, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    // A group of its own: Ctrl-C is for the service, which lets its decoders finish.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int error = posix_spawn_file_actions_adddup2(&actions, first, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, second, 3);
    if (!error) error = posix_spawn(process, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

void ap_one_arena(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

int ap_socket_pair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
}

// Room for one descriptor beside the bytes.
typedef union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} control;

ssize_t ap_send_descriptor(int socket, const uint8_t *bytes, size_t count, int descriptor) {
    control room = {0};
    struct iovec piece = {(void *)bytes, count};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room.bytes,
                             .msg_controllen = sizeof room.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
}

ssize_t ap_receive_descriptor(int socket, uint8_t *bytes, size_t count, int *descriptor) {
    *descriptor = -1;
    control room = {0};
    struct iovec piece = {bytes, count};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room.bytes,
                             .msg_controllen = sizeof room.bytes};
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return -errno;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
            memcpy(descriptor, CMSG_DATA(head), sizeof *descriptor);
    }
    return received;
}

int ap_decoder_limit(uint64_t memory, uint64_t seconds) {
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) return errno;
    uint64_t spent = (uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec + 1;
    struct rlimit cpu = {spent + seconds, RLIM_INFINITY}, none = {0, 0};
    // What the process writes to: code and files that are mapped do not count.
    struct rlimit data = {memory, RLIM_INFINITY};
    if (setrlimit(RLIMIT_CPU, &cpu) != 0 || setrlimit(RLIMIT_DATA, &data) != 0) return errno;
    return setrlimit(RLIMIT_CORE, &none) == 0 ? 0 : errno;
}

#ifdef AP_SERVICE

#include <seccomp.h>

#define FUNCTIONS(X) X(seccomp_init) X(seccomp_rule_add) X(seccomp_load) X(seccomp_release)
FUNCTIONS(AP_LATE_POINTER)
static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
static ap_late_library library = AP_LATE_LIBRARY("libseccomp.so.2", symbols);

bool ap_decoder_confine(void) {
    static const int refused[] = {
        SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(ptrace),
        SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd), SCMP_SYS(kill),
        SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(pidfd_send_signal),
        SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(unshare),
        SCMP_SYS(setns), SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(keyctl),
        SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(init_module), SCMP_SYS(finit_module),
        SCMP_SYS(delete_module), SCMP_SYS(kexec_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff),
        SCMP_SYS(io_uring_setup), SCMP_SYS(personality), SCMP_SYS(setuid), SCMP_SYS(setgid), SCMP_SYS(chmod),
        SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(fchown), SCMP_SYS(lchown),
        SCMP_SYS(fchownat), SCMP_SYS(mknod), SCMP_SYS(mknodat), SCMP_SYS(symlink), SCMP_SYS(symlinkat),
        SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4),
    };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !ap_late_load(&library)) return false;
    scmp_filter_ctx filter = late_seccomp_init(SCMP_ACT_ALLOW);
    if (!filter) return false;
    bool is_good = true;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        is_good &= late_seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0) == 0;
    // Threads yes, processes no; glibc asks clone again where clone3, whose flags a filter cannot see, is missing.
    is_good &= late_seccomp_rule_add(
        filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
        SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) == 0;
    is_good &= late_seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    is_good = is_good && late_seccomp_load(filter) == 0;
    late_seccomp_release(filter);
    return is_good;
}

#else

bool ap_decoder_confine(void) { return false; }

#endif
#endif
