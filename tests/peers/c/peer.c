/*
 * The other process of the tests between languages, in C. Its C# twin (tests/peers/cs/Ipc.Peer) takes the same verbs:
 *
 *   peer ring-write NAME COUNT SIZE|random [SEED]   writes records: u64 sequence number, then bytes (number + i) & 0xff
 *   peer ring-read NAME COUNT                       reads and checks them
 *   peer ring-echo NAME_IN NAME_OUT COUNT           what comes in goes out
 *   peer ring-hold NAME writer|reader               attaches, prints "ready", waits for the end of its input
 *   peer listen NAME                                echo server; prints "ready"; ends with its input
 *   peer connect NAME COUNT SIZE                    echo client
 *   peer named-client SERVER CLIENT COUNT SIZE|random [SEED], peer named-server NAME [IDENTITY]
 *                                                   both sides of a named connection (peer_named.c)
 *   peer drive                                      does what each line of its input says (drive.c)
 *   peer storm KIND-ROLE NAME SIDE ID SEED          one worker of a storm (storm_worker.c)
 *   peer storm-named-client SERVER CLIENT NOTES SEED, peer storm-named-server SERVER CLIENT NOTES SEED
 *                                                   one side of a storm of named connections (storm_named.c)
 *   peer region-show NAME                           every field of the headers, a line each: key value
 *
 * Options: --capacity N, --budget N (of loans; default none), --wait adaptive|spin|block, --open create|open|any, --timeout MS; those of
 * peer_named.c. The exit code is the verdict: 0 right, 1 wrong content, 2 usage, 3 an error, printed as "error STATUS text".
 */
#define _GNU_SOURCE
#include "peer.h"

#include "drive.h"

#include <stdarg.h>
#include <unistd.h>

ipc_ring_options peer_ring_options = {.loan_budget = IPC_NO_LOANS};
ipc_deadline peer_deadline = IPC_FOREVER;

int peer_error(ipc_status status)
{
    printf("error %s %s\n", ipc_status_name(status), status < 0 ? ipc_last_error() : "");
    return 3;
}

int peer_wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "wrong: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    return 1;
}

void peer_fill(void *payload, uint64_t sequence, uint32_t length)
{
    uint8_t *bytes = payload;
    memcpy(bytes, &sequence, 8);
    for (uint32_t i = 8; i < length; i++)
        bytes[i] = (uint8_t)(sequence + (i - 8));
}

int peer_check(const void *payload, uint64_t sequence, uint32_t length)
{
    const uint8_t *bytes = payload;
    uint64_t found = 0;
    if (length < 8)
        return peer_wrong("a record of %u bytes where number %llu was expected", length, (unsigned long long)sequence);
    memcpy(&found, bytes, 8);
    if (found != sequence)
        return peer_wrong("number %llu where %llu was expected", (unsigned long long)found,
                          (unsigned long long)sequence);
    for (uint32_t i = 8; i < length; i++) {
        if (bytes[i] != (uint8_t)(sequence + (i - 8)))
            return peer_wrong("byte %u of number %llu is %u", i, (unsigned long long)sequence, bytes[i]);
    }
    return 0;
}

void peer_wait_for_input_end(void)
{
    char bytes[256];
    while (read(0, bytes, sizeof bytes) > 0)
        ;
}

uint32_t peer_next_size(const char *size, uint32_t max, uint64_t *seed)
{
    if (strcmp(size, "random") != 0)
        return (uint32_t)strtoul(size, NULL, 10);
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    const uint32_t limit = (*seed >> 20) % 16 == 0 ? max
                           : max < 512             ? max
                                                   : 512; /* mostly small, now and then anything */
    return 8 + (uint32_t)((*seed >> 33) % (limit - 7));
}

static int ring_write(char **arguments, int count)
{
    const uint64_t records = strtoull(arguments[1], NULL, 10);
    uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    ipc_ring_writer *writer = NULL;
    ipc_status status = ipc_ring_writer_open(arguments[0], &peer_ring_options, &writer);
    if (status != IPC_OK)
        return peer_error(status);
    status = ipc_ring_writer_wait_for_peer(writer, peer_deadline, NULL);
    for (uint64_t i = 0; i < records && status == IPC_OK; i++) {
        const uint32_t length = peer_next_size(arguments[2], ipc_ring_writer_max_payload(writer), &seed);
        void *payload = NULL;
        status = ipc_ring_claim(writer, length, peer_deadline, NULL, &payload);
        if (status != IPC_OK)
            break;
        peer_fill(payload, i, length);
        status = ipc_ring_commit(writer, length, (uint16_t)i);
    }
    int result = status == IPC_OK ? 0 : peer_error(status);
    ipc_ring_writer_close(writer);
    return result;
}

static int ring_read(char **arguments, int count)
{
    (void)count;
    const uint64_t records = strtoull(arguments[1], NULL, 10);
    ipc_ring_reader *reader = NULL;
    ipc_status status = ipc_ring_reader_open(arguments[0], &peer_ring_options, &reader);
    if (status != IPC_OK)
        return peer_error(status);
    int result = 0;
    for (uint64_t i = 0; i < records && result == 0; i++) {
        ipc_record record;
        status = ipc_ring_read(reader, peer_deadline, NULL, &record);
        if (status != IPC_OK)
            result = peer_error(status);
        else if (record.type != (uint16_t)i)
            result = peer_wrong("type %u of number %llu", record.type, (unsigned long long)i);
        else
            result = peer_check(record.payload, i, record.length);
        if (result == 0)
            ipc_ring_release(reader);
    }
    ipc_ring_reader_close(reader);
    return result;
}

static int ring_echo(char **arguments, int count)
{
    (void)count;
    const uint64_t records = strtoull(arguments[2], NULL, 10);
    ipc_ring_reader *reader = NULL;
    ipc_ring_writer *writer = NULL;
    ipc_status status = ipc_ring_reader_open(arguments[0], &peer_ring_options, &reader);
    if (status == IPC_OK)
        status = ipc_ring_writer_open(arguments[1], &peer_ring_options, &writer);
    for (uint64_t i = 0; i < records && status == IPC_OK; i++) {
        ipc_record record;
        status = ipc_ring_read(reader, peer_deadline, NULL, &record);
        if (status == IPC_OK)
            status = ipc_ring_write(writer, record.payload, record.length, record.type, peer_deadline, NULL);
        if (status == IPC_OK)
            ipc_ring_release(reader);
    }
    int result = status == IPC_OK ? 0 : peer_error(status);
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
    return result;
}

static int ring_hold(char **arguments, int count)
{
    (void)count;
    ipc_ring_reader *reader = NULL;
    ipc_ring_writer *writer = NULL;
    ipc_status status = strcmp(arguments[1], "writer") == 0
                            ? ipc_ring_writer_open(arguments[0], &peer_ring_options, &writer)
                            : ipc_ring_reader_open(arguments[0], &peer_ring_options, &reader);
    if (status != IPC_OK)
        return peer_error(status);
    printf("ready\n");
    (void)fflush(stdout);
    peer_wait_for_input_end();
    ipc_ring_reader_close(reader);
    ipc_ring_writer_close(writer);
    return 0;
}

static int peer_drive(char **arguments, int count)
{
    (void)arguments;
    (void)count;
    return drive();
}

typedef struct verb {
    const char *name;
    int least;
    int most;
    int (*run)(char **arguments, int count);
} verb;

static const verb verbs[] = {
    {"ring-write", 3, 4, ring_write},        {"ring-read", 2, 2, ring_read}, {"ring-echo", 3, 3, ring_echo},
    {"ring-hold", 2, 2, ring_hold},          {"listen", 1, 1, peer_listen},  {"connect", 3, 3, peer_connect},
    {"region-show", 1, 1, peer_region_show}, {"drive", 0, 0, peer_drive},
    {"named-client", 4, 5, peer_named_client}, {"named-server", 1, 2, peer_named_server},
#ifndef _WIN32
    {"storm", 5, 5, peer_storm},
    {"storm-named-client", 4, 4, peer_storm_named_client},
    {"storm-named-server", 4, 4, peer_storm_named_server},
#endif
};

static int usage(void)
{
    fprintf(stderr, "usage: peer ring-write NAME COUNT SIZE|random [SEED] | ring-read NAME COUNT | ring-echo NAME_IN "
                    "NAME_OUT COUNT |\n"
                    "  named-client SERVER CLIENT COUNT SIZE|random [SEED] | named-server NAME [IDENTITY] |\n"
                    "  ring-hold NAME writer|reader | listen NAME | connect NAME COUNT SIZE | region-show NAME | drive |\n"
                    "  storm KIND-ROLE NAME SIDE ID SEED | storm-named-client|storm-named-server SERVER CLIENT NOTES SEED\n"
                    "  [--capacity N] [--budget N] [--wait adaptive|spin|block] [--open create|open|any] [--timeout MS]\n"
                    "  [--log FILE] [--acknowledge N] [--login TEXT]\n");
    return 2;
}

static int index_of(const char *value, const char *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(value, values[i]) == 0)
            return i;
    }
    return -1;
}

static bool take_option(const char *option, const char *value)
{
    static const char *const waits[] = {"adaptive", "spin", "block"};
    static const char *const opens[] = {"any", "create", "open"};
    int chosen;
    if (strcmp(option, "--capacity") == 0) {
        peer_ring_options.capacity = strtoull(value, NULL, 10);
    } else if (strcmp(option, "--budget") == 0) {
        peer_ring_options.loan_budget = strtoull(value, NULL, 10);
    } else if (strcmp(option, "--wait") == 0 && (chosen = index_of(value, waits, 3)) >= 0) {
        peer_ring_options.wait_mode = (ipc_wait_mode)chosen;
    } else if (strcmp(option, "--open") == 0 && (chosen = index_of(value, opens, 3)) >= 0) {
        peer_ring_options.open_mode = (ipc_open_mode)chosen;
    } else if (strcmp(option, "--timeout") == 0) {
        peer_deadline = ipc_deadline_after(strtoull(value, NULL, 10) * 1000000ull);
        peer_ring_options.deadline = peer_deadline;
    } else if (strcmp(option, "--log") == 0) {
        peer_log = value;
    } else if (strcmp(option, "--login") == 0) {
        peer_login = value;
    } else if (strcmp(option, "--acknowledge") == 0) {
        peer_acknowledge = strtoull(value, NULL, 10);
    } else {
        return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    char *words[8];
    int words_count = 0;
#ifndef _WIN32 /* where a line would wait for the end */
    setvbuf(stdout, NULL, _IOLBF, 0);
#endif
    for (int i = 1; i < count; i++) {
        if (strncmp(arguments[i], "--", 2) == 0) {
            if (i + 1 >= count || !take_option(arguments[i], arguments[i + 1]))
                return usage();
            i++;
        } else if (words_count < 8) {
            words[words_count++] = arguments[i];
        }
    }
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0] && words_count > 0; i++) {
        const int given = words_count - 1;
        if (strcmp(words[0], verbs[i].name) == 0 && given >= verbs[i].least && given <= verbs[i].most)
            return verbs[i].run(words + 1, given);
    }
    return usage();
}
