/* What is said to the compiler, and means nothing to the machine. */
#ifndef IPC_COMPILER_H
#define IPC_COMPILER_H

#if defined(__GNUC__)
#define IPC_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define IPC_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define IPC_NOINLINE            __attribute__((noinline, cold))
#else
#define IPC_LIKELY(condition)   (condition)
#define IPC_UNLIKELY(condition) (condition)
#define IPC_NOINLINE
#endif

#endif
