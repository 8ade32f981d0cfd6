// What the upload hook needs of the system that Swift cannot call.
#ifndef CNET_UPLOAD_H
#define CNET_UPLOAD_H

// Opens a file below a folder for reading, without blocking: no part of the path may be a link or lead out of
// the folder, whatever is changed meanwhile (openat2(2), Linux 5.6). The descriptor, or -1 and errno: ELOOP
// for a link, EXDEV for a way out, ENOSYS where the system has no such call.
int ap_open_beneath(int folder, const char *path);

#endif
