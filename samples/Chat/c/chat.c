/* A person in a chat room: says what is typed, or the lines of a file, and prints what is said, with its number. The twin
 * of ../CSharp/Person.cs; the room is ../CSharp/Room.cs. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

#include "ipc.h"

typedef struct speaker {
    ipc_named_connection *chat;
    FILE *lines;
    bool is_file;
} speaker;

static void *speak(void *context)
{
    const speaker *self = context;
    char line[4096];
    uint64_t said = self->is_file ? ipc_named_sent(self->chat) : 0; /* a former life has said some */
    while (fgets(line, sizeof line, self->lines) != NULL) {
        if (said != 0) {
            said--;
            continue;
        }
        const uint32_t length = (uint32_t)strcspn(line, "\n");
        if (ipc_named_send(self->chat, line, length, 0, IPC_FOREVER, NULL, NULL) != IPC_OK)
            break; /* sent, it waits in memory for the room */
        if (self->is_file)
            (void)thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* people pause */
    }
    if (!self->is_file)
        ipc_named_stop(self->chat); /* nothing more is typed: the person leaves */
    return NULL;
}

static ipc_status print(ipc_named_connection *chat)
{
    ipc_named_message line;
    ipc_status status;
    while ((status = ipc_named_receive(chat, IPC_FOREVER, NULL, &line)) == IPC_OK) {
        printf("%llu %.*s\n", (unsigned long long)line.sequence, (int)line.length, (const char *)line.payload);
        fflush(stdout);
        ipc_named_acknowledge(chat, 0); /* killed before this line: it comes again, with the same number */
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 6 || strcmp(argv[1], "join") != 0) {
        fprintf(stderr, "usage: chat join ROOM SEAT NAME [FILE]\n");
        return 2;
    }
    const ipc_named_options options = {.login = argv[4], .login_length = (uint32_t)strlen(argv[4])};
    speaker self = {.lines = argc == 6 ? fopen(argv[5], "r") : stdin, .is_file = argc == 6};
    pthread_t thread;
    if (self.lines == NULL) {
        perror(argv[5]);
        return 1;
    }
    if (ipc_named_open(argv[2], argv[3], &options, &self.chat) != IPC_OK) {
        fprintf(stderr, "%s\n", ipc_last_error());
        return 1;
    }
    if (pthread_create(&thread, NULL, speak, &self) != 0)
        return 1;
    const ipc_status status = print(self.chat);
    if (status != IPC_STOPPED)
        fprintf(stderr, "%s\n", ipc_last_error()); /* refused: the room's own words */
    if (status != IPC_STOPPED)
        return 1; /* the other thread may be in a send */
    pthread_join(thread, NULL);
    ipc_named_close(self.chat, IPC_CLOSE_NORMAL, NULL);
    return 0;
}
