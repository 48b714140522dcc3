/* Numbered content: a message that shows by itself what it is. See the top of drive.c. */
#ifndef IPC_TESTS_NUMBERED_H
#define IPC_TESTS_NUMBERED_H

#include <stdint.h>
#include <string.h>

static inline uint32_t numbered_length(uint64_t n, uint32_t max)
{
    return 8u + (((uint32_t)n * 2654435761u) >> 8) % (max - 7u);
}

static inline void fill_numbered(unsigned char *bytes, uint32_t length, uint64_t n)
{
    memcpy(bytes, &n, 8);
    for (uint32_t i = 8; i < length; i++)
        bytes[i] = (unsigned char)(n + i);
}

static inline int is_numbered(const unsigned char *bytes, uint32_t length, uint64_t *n)
{
    if (length < 8)
        return 0;
    memcpy(n, bytes, 8);
    for (uint32_t i = 8; i < length; i++)
        if (bytes[i] != (unsigned char)(*n + i))
            return 0;
    return 1;
}

#endif
