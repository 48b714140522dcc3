/* Shared by the files of the verb `drive` (see drive.c). */
#ifndef IPC_TESTS_DRIVE_PARTS_H
#define IPC_TESTS_DRIVE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc.h"

enum { DRIVE_OBJECTS = 8192, DRIVE_FIRST_LENT = 1000, DRIVE_WRONG_CONTENT = 100, DRIVE_HELD = 64, DRIVE_END_OF_STREAM = 65535 };

typedef enum drive_kind {
    NOTHING,
    WRITER,
    READER,
    LISTENER,
    CONNECTION,
    QUEUE,
    PUBLISHER,  /* a topic's writer */
    SUBSCRIBER, /* a topic's reader */
    MUTEX,
    SEMAPHORE,
    EVENT,
    NAMED,          /* a named connection, of either side */
    NAMED_LISTENER,
} drive_kind;

typedef struct drive_object {
    drive_kind kind;
    void *handle;
    void *claim; /* the open claim of a ring's writer */
    uint32_t claimed;
    ipc_block block;  /* the open claim of a queue or a topic's writer */
    ipc_block *held;  /* what a queue has received and not released, oldest first; DRIVE_HELD of them */
    uint32_t holding;
} drive_object;

extern drive_object drive_objects[DRIVE_OBJECTS];

/* The words of the command: the I-th, as a number, all from I on, the value of key=value (NULL: not given). */
const char *drive_word(int i);
uint64_t drive_number(int i);
const char *drive_rest(int i);
const char *drive_option(const char *key);
uint64_t drive_option_number(const char *key, uint64_t otherwise);
/* budget=N bytes of loans; without it, none: what is said of the largest record then holds. */
uint64_t drive_loan_budget(void);
/* lifetime=while-used, until-empty or persistent; without it, none is asked for. */
ipc_lifetime drive_lifetime(void);
ipc_deadline drive_deadline(void); /* timeout=MS; without it the call does not wait */
ipc_wait_mode drive_wait_mode(void);
const ipc_access *drive_access(void);
drive_object *drive_at(int i); /* the object whose number is the I-th word */

/* The line that answers a command with nothing but a status. */
void drive_answer(int status);

ipc_ring_writer *drive_writer_of(const drive_object *object); /* also a connection's */
ipc_ring_reader *drive_reader_of(const drive_object *object);

/* Each runs the current command if it is one of its own. */
bool drive_ring(const char *command, drive_object *object);
bool drive_traffic(const char *command, drive_object *object);
bool drive_connection(const char *command, drive_object *object);
bool drive_named(const char *command, drive_object *object);
bool drive_queue(const char *command, drive_object *object);
bool drive_queue_stream(const char *command, drive_object *object);
bool drive_sync(const char *command, drive_object *object);
bool drive_topic(const char *command, drive_object *object);
bool drive_topic_stream(const char *command, drive_object *object);
void drive_queue_close(drive_object *object);

/* drive_posix.c, drive_windows.c */
bool drive_system(const char *command);
/* A file of two words that outlives this process: [0] tried, [1] done. NULL: not possible. */
volatile uint64_t *drive_open_side(const char *path);
void drive_await(const ipc_ready_handle *handle); /* until it is ready, or a moment */

/* Contents; see the top of drive.c. */
void drive_fill_pattern(void *bytes, uint32_t length, uint32_t seed);
uint32_t drive_hash(const void *bytes, uint32_t length);

/* The answers that queue and topic have in common. */
void drive_answer_participants(const ipc_participant_info *list, uint32_t count);
void drive_answer_change(ipc_status status, const ipc_change *change);
void drive_answer_with_text(ipc_status status); /* also when the status is no error */
ipc_open_mode drive_open_mode(void);
uint64_t drive_budget_or_default(void); /* budget=BYTES|none */

#endif
