// Codecs that few inputs need are loaded when the first one comes: linked, they would cost every process 8 MB and as
// many milliseconds (SPEC: idle at most 10 MB, started in 6 ms).
//
// A codec's file lists the functions it calls once, and gets typed pointers to them:
//
//     #define FUNCTIONS(X) X(WebPIDelete) X(WebPIAppend)
//     FUNCTIONS(AP_LATE_POINTER)
//     static const ap_late_symbol symbols[] = {FUNCTIONS(AP_LATE_SYMBOL)};
//     static ap_late_library library = AP_LATE_LIBRARY("libwebp.so.7", symbols);
//     ... if (!ap_late_load(&library)) return NULL; ... late_WebPIDelete(decoder);
#ifndef AP_LATE_H
#define AP_LATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ap_late_symbol {
    const char *name;
    void **address;
} ap_late_symbol;

typedef struct ap_late_library {
    const char *file;
    const ap_late_symbol *symbols;
    size_t count;
    pthread_mutex_t lock;
    int state;  // 0 not tried, 1 loaded, -1 missing
} ap_late_library;

#define AP_LATE_POINTER(name) static __typeof__(&name) late_##name;
#define AP_LATE_SYMBOL(name) {#name, (void **)&late_##name},
#define AP_LATE_LIBRARY(file, symbols) \
    {file, symbols, sizeof(symbols) / sizeof *(symbols), PTHREAD_MUTEX_INITIALIZER, 0}

// Loads a library and all its symbols, once for the process and from any thread; false where one is missing.
bool ap_late_load(ap_late_library *library);

#endif
