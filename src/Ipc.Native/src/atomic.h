/*
 * atomic.h - every memory-ordering word of the library, in one place.
 *
 * The rest of the code says which of the named pairs of docs/memory-ordering.md an access belongs to; this file says
 * how such an access is spelt. A shared value is always read through one of these loads, once, into a local: the
 * compiler may then not read it a second time, so that what was checked is what is used.
 */
#ifndef IPC_ATOMIC_H
#define IPC_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef _Atomic uint32_t ipc_atomic32;
typedef _Atomic uint64_t ipc_atomic64;

_Static_assert(sizeof(ipc_atomic32) == 4 && sizeof(ipc_atomic64) == 8, "shared words are plain words");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "a hidden lock would not be shared");

static inline uint32_t ipc_load_relaxed32(const ipc_atomic32 *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static inline uint32_t ipc_load_acquire32(const ipc_atomic32 *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static inline uint64_t ipc_load_relaxed64(const ipc_atomic64 *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static inline uint64_t ipc_load_acquire64(const ipc_atomic64 *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static inline void ipc_store_relaxed32(ipc_atomic32 *word, uint32_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static inline void ipc_store_release32(ipc_atomic32 *word, uint32_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

static inline void ipc_store_relaxed64(ipc_atomic64 *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static inline void ipc_store_release64(ipc_atomic64 *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

/* Read-modify-write operations are sequentially consistent: none of them is on a hot path. */

static inline uint32_t ipc_exchange32(ipc_atomic32 *word, uint32_t value)
{
    return atomic_exchange(word, value);
}

static inline uint64_t ipc_exchange64(ipc_atomic64 *word, uint64_t value)
{
    return atomic_exchange(word, value);
}

static inline uint32_t ipc_or32(ipc_atomic32 *word, uint32_t bits)
{
    return atomic_fetch_or(word, bits);
}

static inline uint32_t ipc_and32(ipc_atomic32 *word, uint32_t bits)
{
    return atomic_fetch_and(word, bits);
}

static inline uint64_t ipc_or64(ipc_atomic64 *word, uint64_t bits)
{
    return atomic_fetch_or(word, bits);
}

static inline uint32_t ipc_add32(ipc_atomic32 *word, uint32_t amount)
{
    return atomic_fetch_add(word, amount);
}

/* Counts, and orders nothing. */
static inline void ipc_add_relaxed64(ipc_atomic64 *word, uint64_t amount)
{
    (void)atomic_fetch_add_explicit(word, amount, memory_order_relaxed);
}

static inline uint64_t ipc_and64(ipc_atomic64 *word, uint64_t bits)
{
    return atomic_fetch_and(word, bits);
}

static inline bool ipc_cas32(ipc_atomic32 *word, uint32_t *expected, uint32_t desired)
{
    return atomic_compare_exchange_strong(word, expected, desired);
}

static inline uint64_t ipc_add64(ipc_atomic64 *word, uint64_t amount)
{
    return atomic_fetch_add(word, amount);
}

/* The changes of a slot's state and of the hints that lead to it are on the hot path: no stronger than they must be. */

static inline bool ipc_cas64(ipc_atomic64 *word, uint64_t *expected, uint64_t desired)
{
    return atomic_compare_exchange_strong_explicit(word, expected, desired, memory_order_acq_rel, memory_order_acquire);
}

static inline bool ipc_cas_relaxed64(ipc_atomic64 *word, uint64_t *expected, uint64_t desired)
{
    return atomic_compare_exchange_strong_explicit(word, expected, desired, memory_order_relaxed, memory_order_relaxed);
}

/* A stack of objects that threads of this process hand to one of them: push from any, take all at once. */
typedef _Atomic(void *) ipc_atomic_pointer;

static inline void *ipc_load_acquire_pointer(const ipc_atomic_pointer *pointer)
{
    return atomic_load_explicit(pointer, memory_order_acquire);
}

static inline void *ipc_exchange_pointer(ipc_atomic_pointer *pointer, void *value)
{
    return atomic_exchange(pointer, value);
}

static inline bool ipc_cas_pointer(ipc_atomic_pointer *pointer, void **expected, void *desired)
{
    return atomic_compare_exchange_strong(pointer, expected, desired);
}

/* Orders a store before a later load: the only order that x86 does not give by itself. */
static inline void ipc_full_fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

/* Orders everything before it before every later store. */
static inline void ipc_release_fence(void)
{
    atomic_thread_fence(memory_order_release);
}

/* Orders every load before it before everything after it. */
static inline void ipc_acquire_fence(void)
{
    atomic_thread_fence(memory_order_acquire);
}

/* Keeps the compiler from reordering; the processor's half of the fence is the sleeper's membarrier ([sleep]). */
static inline void ipc_compiler_fence(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

/* Copies bytes that somebody may be overwriting. What was copied counts only when a word that is looked at afterwards,
   behind an acquire fence, shows that nobody was [overwrite]. ThreadSanitizer does not know this idiom, so it does not
   get to see the loads. */
#if defined(__SANITIZE_THREAD__)
#define IPC_UNOBSERVED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IPC_UNOBSERVED 1
#endif
#endif

#if defined(IPC_UNOBSERVED)
__attribute__((no_sanitize("thread"), noinline, unused)) static void ipc_copy_racing(void *to, const void *from,
                                                                                     uint64_t length)
{
    const volatile uint8_t *bytes = from; /* volatile: not to become a call of memcpy, which is observed */
    for (uint64_t i = 0; i < length; i++)
        ((uint8_t *)to)[i] = bytes[i];
}
#else
static inline void ipc_copy_racing(void *to, const void *from, uint64_t length)
{
    memcpy(to, from, (size_t)length);
}
#endif

#endif
