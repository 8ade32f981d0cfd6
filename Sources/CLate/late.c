#include "CLate.h"

#include <dlfcn.h>

static bool load(const ap_late_library *library) {
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    for (size_t i = 0; i < library->count; i++) {
        void *symbol = dlsym(handle, library->symbols[i].name);
        if (!symbol) return false;
        *library->symbols[i].address = symbol;
    }
    return true;
}

bool ap_late_load(ap_late_library *library) {
    pthread_mutex_lock(&library->lock);
    if (library->state == 0) library->state = load(library) ? 1 : -1;
    bool loaded = library->state == 1;
    pthread_mutex_unlock(&library->lock);
    return loaded;
}
