/* Shared by the files of the verb `drive` (see drive.c). */
#ifndef IPC_TESTS_DRIVE_PARTS_H
#define IPC_TESTS_DRIVE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc.h"

enum { DRIVE_OBJECTS = 8192, DRIVE_FIRST_LENT = 1000, DRIVE_WRONG_CONTENT = 100 };

typedef enum drive_kind { NOTHING, WRITER, READER, LISTENER, CONNECTION } drive_kind;

typedef struct drive_object {
    drive_kind kind;
    void *handle;
    void *claim; /* the open claim of a writer */
    uint32_t claimed;
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
ipc_deadline drive_deadline(void); /* timeout=MS; without it the call does not wait */
ipc_wait_mode drive_wait_mode(void);
drive_object *drive_at(int i); /* the object whose number is the I-th word */

/* The line that answers a command with nothing but a status. */
void drive_answer(int status);

ipc_ring_writer *drive_writer_of(const drive_object *object); /* also a connection's */
ipc_ring_reader *drive_reader_of(const drive_object *object);

/* Each runs the current command if it is one of its own. */
bool drive_ring(const char *command, drive_object *object);
bool drive_traffic(const char *command, drive_object *object);
bool drive_connection(const char *command, drive_object *object);

#endif
