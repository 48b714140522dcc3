/* What the programs need from the system that they run on; they know no more of it. One source for each system. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* The command line of this process in UTF-8, whatever main() was given. */
void system_arguments(int *count, char ***arguments);

/* Milliseconds of a clock that only goes forward. */
double now_ms(void);
void pause_ms(unsigned milliseconds);

struct thread {
    uintptr_t id;
};

void thread_start(struct thread *thread, void *(*function)(void *), void *argument);
void thread_join(const struct thread *thread);
/* A number of the calling thread's own. */
uintptr_t thread_self(void);

/* All threads of this process, whoever has started them. */
int process_threads(void);
/* Bytes that were allocated from the heap and not given back, by whomever; wine leaves out blocks of half a megabyte
 * and more. */
size_t process_heap(void);

/* Memory that ends where it says: whoever reads one byte more falls over. */
void *memory_with_an_edge(size_t size);
void memory_with_an_edge_free(void *memory, size_t size);

/* Any function; to be cast to what it is. */
typedef void (*library_entry)(void);

/* Gives up when it cannot be loaded. */
void *library_load(const char *path);
void library_unload(void *library);
/* NULL when it exports no such thing. */
library_entry library_export(void *library, const char *name);
/* The file that it came from, in full, in UTF-8. */
void library_path(void *library, char *path, size_t size);

/* A daemon as a child process, to be killed and replaced while somebody talks to it. Only from the main thread. */
struct daemon {
    intptr_t process, output;
};

/* Runs the command (of sh; on Windows a command line as CreateProcess takes it) and returns when it has written its
 * first line, which says that it serves. Gives up after a minute. It dies with this process, however that ends. */
struct daemon daemon_start(const char *command);

/* kill -9; returns when it is gone. */
void daemon_kill(struct daemon daemon);

/* Stops it as a debugger does: alive, and silent. */
void daemon_stop(struct daemon daemon);
void daemon_continue(struct daemon daemon);

#endif
