/* glibc's function that finds the unwind table of an address, for a static program with musl.
 *
 * A compiler that was made for glibc has a libgcc_eh.a that calls this function, which musl lacks. scripts/release
 * links this file only with such a compiler. The structure is that of glibc's <dlfcn.h> on x86-64 and aarch64.
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* The same libgcc_eh.a refers to these functions weakly. Without a strong reference some of them would be missing, and
 * the first panic would jump to address 0. */
__attribute__((used)) static void *const strong_references[] = {
    pthread_once, pthread_key_create, pthread_getspecific, pthread_setspecific, pthread_mutex_lock, pthread_mutex_unlock,
};

struct dl_find_object {
    unsigned long long flags;
    void *map_start;
    void *map_end;
    struct link_map *link_map;
    void *eh_frame;
    unsigned long long reserved[7];
};

struct search {
    uintptr_t address;
    struct dl_find_object *result;
};

static int look_into(struct dl_phdr_info *object, size_t size, void *data) {
    struct search *search = data;
    uintptr_t start = 0, end = 0, table = 0;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t at = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && at <= search->address && search->address < at + part->p_memsz) {
            start = at;
            end = at + part->p_memsz;
        } else if (part->p_type == PT_GNU_EH_FRAME) {
            table = at;
        }
    }
    if (start == 0 || table == 0)
        return 0;
    *search->result = (struct dl_find_object){
        .map_start = (void *)start, .map_end = (void *)end, .eh_frame = (void *)table};
    return 1;
}

int _dl_find_object(void *address, struct dl_find_object *result) {
    struct search search = {(uintptr_t)address, result};
    return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
