/*
 * drive.c - the verb `drive`: a test holds the strings of this process.
 *
 * One command per line on stdin, words separated by a space, options as key=value. One answer per line on stdout:
 *
 *     STATUS [key=value ...] [| text]        STATUS is the number of the ipc_status; 100 means "wrong content"
 *
 * Objects (writers, readers, listeners, connections) have numbers that the test chooses; connections that `next` lends get
 * numbers from 1000 upwards. The C# peer has the same verb with the same commands (tests/peers/cs/Ipc.Peer/Drive): a test says which
 * language sits at which end and is otherwise the same text. Contents are chosen so that the test can compute them too:
 *
 *   pattern   byte i of a record with seed s is  s * 17 + i * 3 + (i >> 8), its low 8 bits; answers carry FNV-1a 32 of it
 *   numbered  record n is the u64 n, then bytes (n + i) & 255; its length is 8 + (n * 2654435761 mod 2^32 >> 8) mod (max - 7)
 *
 * Queues, topics and locks take the same words as rings where they mean the same: claim, fill, commit, abandon, write, read, release,
 * wait, stop, resume, close; and stream and collect for numbered traffic of many senders, whose number n is sender * 2^32 + i.
 *
 * Nothing here is clever: a command is a call of the library, and its answer is what the call returned.
 */
#include "drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive_parts.h"

enum { WORDS = 24 };

drive_object drive_objects[DRIVE_OBJECTS];
static char *words[WORDS];
static int word_count;

const char *drive_word(int i) { return i < word_count ? words[i] : ""; }
uint64_t drive_number(int i) { return strtoull(drive_word(i), NULL, 0); }

const char *drive_option(const char *key)
{
    const size_t length = strlen(key);
    for (int i = 1; i < word_count; i++)
        if (strncmp(words[i], key, length) == 0 && words[i][length] == '=')
            return words[i] + length + 1;
    return NULL;
}

uint64_t drive_option_number(const char *key, uint64_t otherwise)
{
    const char *value = drive_option(key);
    return value != NULL ? strtoull(value, NULL, 0) : otherwise;
}

uint64_t drive_loan_budget(void)
{
    const uint64_t bytes = drive_option_number("budget", 0);
    return bytes == 0 ? IPC_NO_LOANS : bytes;
}

ipc_lifetime drive_lifetime(void)
{
    const char *value = drive_option("lifetime");
    if (value == NULL)
        return IPC_LIFETIME_DEFAULT;
    if (strcmp(value, "while-used") == 0)
        return IPC_LIFETIME_WHILE_USED;
    return strcmp(value, "until-empty") == 0 ? IPC_LIFETIME_UNTIL_EMPTY : IPC_LIFETIME_PERSISTENT;
}

ipc_deadline drive_deadline(void)
{
    const char *value = drive_option("timeout");
    return value != NULL ? ipc_deadline_after(strtoull(value, NULL, 0) * 1000000u) : IPC_NOW;
}

ipc_wait_mode drive_wait_mode(void)
{
    const char *value = drive_option("wait");
    if (value == NULL || strcmp(value, "adaptive") == 0)
        return IPC_WAIT_ADAPTIVE;
    return strcmp(value, "spin") == 0 ? IPC_WAIT_SPIN : IPC_WAIT_BLOCK;
}

/* access=everybody, access=group:ID, access=users:ID,ID: the same on each line of the process. */
const ipc_access *drive_access(void)
{
    static ipc_access access;
    const char *value = drive_option("access");
    if (value == NULL)
        return NULL;
    access = (ipc_access){ .kind = IPC_ACCESS_EVERYBODY };
    if (strncmp(value, "group:", 6) == 0) {
        access.kind  = IPC_ACCESS_GROUP;
        access.group = (uint32_t)strtoul(value + 6, NULL, 10);
    } else if (strncmp(value, "users:", 6) == 0) {
        char *rest  = (char *)(uintptr_t)(value + 5);
        access.kind = IPC_ACCESS_USERS;
        while (*rest != '\0' && access.user_count < IPC_ACCESS_USERS_MAX)
            access.users[access.user_count++] = (uint32_t)strtoul(rest + 1, &rest, 10);
    }
    return &access;
}

/* The words from I on as they were typed. */
const char *drive_rest(int i)
{
    static char text[4096];
    text[0] = '\0';
    for (; i < word_count; i++) {
        strncat(text, words[i], sizeof text - strlen(text) - 1);
        if (i + 1 < word_count)
            strncat(text, " ", sizeof text - strlen(text) - 1);
    }
    return text;
}

drive_object *drive_at(int i)
{
    const uint64_t id = drive_number(i);
    return &drive_objects[id < DRIVE_OBJECTS ? id : 0];
}

void drive_answer(int status)
{
    if (status < 0)
        printf("%d | %s\n", status, ipc_last_error());
    else
        printf("%d\n", status);
}

static void close_object(drive_object *o)
{
    switch (o->kind) {
    case WRITER: ipc_ring_writer_close(o->handle); break;
    case READER: ipc_ring_reader_close(o->handle); break;
    case LISTENER: ipc_listener_close(o->handle); break;
    case CONNECTION: ipc_connection_close(o->handle); break;
    case QUEUE: drive_queue_close(o); break;
    case PUBLISHER: ipc_topic_writer_close(o->handle); break;
    case SUBSCRIBER: ipc_topic_reader_close(o->handle); break;
    case MUTEX: ipc_shared_mutex_close(o->handle); break;
    case SEMAPHORE: ipc_shared_semaphore_close(o->handle); break;
    case EVENT: ipc_shared_event_close(o->handle); break;
    case NAMED: ipc_named_close(o->handle, IPC_CLOSE_NORMAL, NULL); break;
    case NAMED_LISTENER: ipc_named_listener_close(o->handle, IPC_CLOSE_SHUTDOWN, NULL); break;
    case NOTHING: break;
    }
    *o = (drive_object){ .kind = NOTHING };
}

/* Whether the command was understood. */
static bool run(void)
{
    const char *command  = drive_word(0);
    drive_object *object = drive_at(1);
    if (drive_system(command))
        return true;
    if (strcmp(command, "clear") == 0) {
        drive_answer_with_text(ipc_clear(drive_word(1)));
        return true;
    }
    if (strcmp(command, "close") == 0) {
        close_object(object);
        drive_answer(IPC_OK);
        return true;
    }
    if (strcmp(command, "named-remove") == 0) {
        drive_answer_with_text(ipc_named_remove(drive_word(1), drive_word(2)));
        return true;
    }
    const bool makes = strncmp(command, "open-", 5) == 0 || strcmp(command, "listen") == 0 || strcmp(command, "connect") == 0;
    if (!makes && object->kind == NOTHING) {
        printf("%d | there is no object %s\n", IPC_E_INVALID_STATE, drive_word(1));
        return true;
    }
    if (drive_queue(command, object) || drive_topic(command, object) || drive_sync(command, object) || drive_ring(command, object) ||
        drive_traffic(command, object) || drive_named(command, object) || drive_connection(command, object))
        return true;
    printf("2 | unknown command %s\n", command);
    return false;
}

int drive(void)
{
    static char line[8192];
    bool understood = true;
    puts("ready");
    (void)fflush(stdout);
    while (understood && fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        word_count = 0;
        for (char *next = line; word_count < WORDS && next != NULL;) {
            words[word_count++] = next;
            next = strchr(next, ' ');
            if (next != NULL)
                *next++ = '\0';
        }
        understood = run();
        (void)fflush(stdout);
    }
    for (int id = 0; id < DRIVE_OBJECTS; id++) /* the end of the input is an orderly end: connections before their listener */
        if (drive_objects[id].kind != LISTENER && drive_objects[id].kind != NAMED_LISTENER)
            close_object(&drive_objects[id]);
    for (int id = 0; id < DRIVE_OBJECTS; id++)
        close_object(&drive_objects[id]);
    return understood ? 0 : 2;
}
