/* check_region: the header, the participants, the locks, and the small kinds. */
#define _GNU_SOURCE
#include "check_parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC               UINT64_C(0x0A314E4752435049)
#define LOCK_OF_PARTICIPANT INT64_C(0x4000000000000000)
#define LOCK_OF_REGION      INT64_C(0x3FFFFFFFFFFFFFFF)
enum { RING = 1, LISTENER = 2, CONNECTION = 3, QUEUE = 4, TOPIC = 5, MUTEX = 7, SEMAPHORE = 8, EVENT = 9 };

void complain(check *c, const char *format, ...)
{
    va_list arguments;
    c->complaints++;
    if (c->to == NULL)
        return;
    va_start(arguments, format);
    vfprintf(c->to, format, arguments);
    va_end(arguments);
    fputc('\n', c->to);
}

static bool inside(check *c, uint64_t offset, uint64_t length)
{
    if (offset <= c->size && length <= c->size - offset)
        return true;
    complain(c, "offset %" PRIu64 " is outside the region of %" PRIu64 " bytes", offset, c->size);
    return false;
}

uint16_t check_u16(check *c, uint64_t offset)
{
    return inside(c, offset, 2) ? __atomic_load_n((const uint16_t *)(const void *)(c->bytes + offset), __ATOMIC_RELAXED)
                                : 0;
}

uint32_t check_u32(check *c, uint64_t offset)
{
    return inside(c, offset, 4) ? __atomic_load_n((const uint32_t *)(const void *)(c->bytes + offset), __ATOMIC_ACQUIRE)
                                : 0;
}

uint64_t check_u64(check *c, uint64_t offset)
{
    return inside(c, offset, 8) ? __atomic_load_n((const uint64_t *)(const void *)(c->bytes + offset), __ATOMIC_ACQUIRE)
                                : 0;
}

bool check_lives(const check *c, uint32_t owner)
{
    return owner != 0 && owner <= c->participants && c->alive[owner - 1];
}

static bool is_locked(int fd, int64_t at)
{
    struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
    return fcntl(fd, F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
}

static void check_participants(check *c, int fd)
{
    for (uint32_t i = 0; i < c->participants; i++) {
        const uint64_t entry = CHECK_PARTICIPANTS + (uint64_t)CHECK_ENTRY * i;
        const uint32_t state = check_u32(c, entry);
        const bool locked = is_locked(fd, LOCK_OF_PARTICIPANT + i);
        c->alive[i] = state == 1 && locked;
        c->role[i] = check_u32(c, entry + 12);
        if (state > 1)
            complain(c, "participant %u: state %u", i, state);
        if (state == 1 && !locked)
            complain(c, "participant %u (process %u) is in the table and dead", i, check_u32(c, entry + 8));
        if (state == 0 && locked && c->depth != CHECK_BUSY)
            complain(c, "participant %u is free and its byte is locked", i);
    }
    if (c->depth != CHECK_BUSY && is_locked(fd, LOCK_OF_REGION))
        complain(c, "the region lock is held");
}

static void check_mutex(check *c)
{
    const uint32_t owner = check_u32(c, c->body + 128);
    if ((owner & 0x7FFFFFFFu) != 0 && (owner >> 31 != 0 || !check_lives(c, owner)))
        complain(c, "the mutex is owned by %#x, who is not there", owner);
}

static void check_semaphore(check *c)
{
    const uint32_t permits = check_u32(c, c->body + 4);
    if (permits == 0 || permits > CHECK_MOST)
        complain(c, "a semaphore of %u permits", permits);
    for (uint32_t i = 0; i < permits && i < CHECK_MOST; i++) {
        const uint32_t owner = check_u32(c, c->body + 512 + 4 * (uint64_t)i);
        if ((owner & 0x7FFFFFFFu) != 0 && (owner >> 31 != 0 || !check_lives(c, owner)))
            complain(c, "permit %u is held by %u, who is not there", i, owner);
    }
}

static void check_event(check *c)
{
    const uint32_t set = check_u32(c, c->body + 128);
    if (set > 1 || check_u32(c, c->body + 4) > 1)
        complain(c, "an event with the word %u", set);
}

static void check_body(check *c, uint32_t kind)
{
    switch (kind) {
    case RING:
        check_ring(c);
        break;
    case QUEUE:
        check_queue(c);
        break;
    case TOPIC:
        check_topic(c);
        break;
    case MUTEX:
        check_mutex(c);
        break;
    case SEMAPHORE:
        check_semaphore(c);
        break;
    case EVENT:
        check_event(c);
        break;
    default:
        break;
    }
}

static void check_all(check *c, int fd)
{
    if (c->size < CHECK_PAGE || check_u64(c, 0) != MAGIC || check_u64(c, 16) != c->size) {
        complain(c, "not a region, or not of the size that it says");
        return;
    }
    const uint32_t state = check_u32(c, 128);
    if (state != 1)
        complain(c, "the region's state is %u", state);
    c->participants = check_u32(c, 28);
    c->body = check_u64(c, 32);
    if (c->participants > CHECK_MOST) {
        complain(c, "%u participants", c->participants);
        return;
    }
    check_participants(c, fd);
    check_body(c, check_u32(c, 12));
}

int check_region(const char *path, check_depth depth, FILE *to)
{
    static check c;
    struct stat status;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &status) != 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    memset(&c, 0, sizeof c);
    c.size = (uint64_t)status.st_size;
    c.depth = depth;
    c.to = to;
    void *memory = mmap(NULL, (size_t)c.size, PROT_READ, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        close(fd);
        return -1;
    }
    c.bytes = memory;
    check_all(&c, fd);
    munmap(memory, (size_t)c.size);
    close(fd);
    return c.complaints;
}
