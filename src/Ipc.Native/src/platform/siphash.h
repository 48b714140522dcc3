/* SipHash-2-4 (Aumasson, Bernstein) of a message of two words: names that who does not know the key cannot guess. */
#ifndef IPC_SIPHASH_H
#define IPC_SIPHASH_H

#include <stdint.h>

typedef struct ipc_siphash {
    uint64_t a;
    uint64_t b;
    uint64_t c;
    uint64_t d;
} ipc_siphash;

static inline uint64_t ipc_siphash_rotate(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void ipc_siphash_rounds(ipc_siphash *state, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        state->a += state->b;
        state->b = ipc_siphash_rotate(state->b, 13) ^ state->a;
        state->a = ipc_siphash_rotate(state->a, 32);
        state->c += state->d;
        state->d = ipc_siphash_rotate(state->d, 16) ^ state->c;
        state->a += state->d;
        state->d = ipc_siphash_rotate(state->d, 21) ^ state->a;
        state->c += state->b;
        state->b = ipc_siphash_rotate(state->b, 17) ^ state->c;
        state->c = ipc_siphash_rotate(state->c, 32);
    }
}

static inline void ipc_siphash_add(ipc_siphash *state, uint64_t word)
{
    state->d ^= word;
    ipc_siphash_rounds(state, 2);
    state->a ^= word;
}

static inline uint64_t ipc_siphash_word(const uint8_t *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static inline uint64_t ipc_siphash_of(const uint8_t key[16], uint64_t first, uint64_t second)
{
    const uint64_t low = ipc_siphash_word(key);
    const uint64_t high = ipc_siphash_word(key + 8);
    ipc_siphash state = {low ^ 0x736f6d6570736575u, high ^ 0x646f72616e646f6du, low ^ 0x6c7967656e657261u,
                         high ^ 0x7465646279746573u};
    ipc_siphash_add(&state, first);
    ipc_siphash_add(&state, second);
    ipc_siphash_add(&state, 16ull << 56); /* the message's length */
    state.c ^= 0xff;
    ipc_siphash_rounds(&state, 4);
    return state.a ^ state.b ^ state.c ^ state.d;
}

#endif
