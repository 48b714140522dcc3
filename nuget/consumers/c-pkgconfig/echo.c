/* A C program that has found the library by pkg-config: sends records to an echo server, in whatever language, and checks
   what comes back. usage: echo NAME */
#include <stdio.h>
#include <string.h>

#include <ipc.h>

enum { RECORDS = 100, TIMEOUT_S = 20 };

static int failed(const char *what, ipc_status status)
{
    fprintf(stderr, "%s: %s: %s\n", what, ipc_status_name(status), ipc_last_error());
    return 1;
}

static int echo(ipc_connection *connection, ipc_deadline deadline)
{
    // snippet: echo
    ipc_ring_writer *writer = ipc_connection_writer(connection);
    ipc_ring_reader *reader = ipc_connection_reader(connection);
    for (unsigned i = 0; i < RECORDS; i++) {
        char sent[64];
        const int length = snprintf(sent, sizeof sent, "record %u", i);
        ipc_status status = ipc_ring_write(writer, sent, (uint32_t)length, (uint16_t)i, deadline, NULL);
        if (status != IPC_OK)
            return failed("write", status);
        ipc_record got;
        status = ipc_ring_read(reader, deadline, NULL, &got);
        if (status != IPC_OK)
            return failed("read", status);
        if (got.type != i || got.length != (uint32_t)length || memcmp(got.payload, sent, got.length) != 0) {
            fprintf(stderr, "record %u came back as %u bytes of type %u\n", i, got.length, got.type);
            return 1;
        }
        ipc_ring_release(reader);
    }
    // end-snippet
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    ipc_status status = IPC_CHECK_VERSION();
    if (status != IPC_OK)
        return failed("version", status);
    const ipc_deadline deadline = ipc_deadline_after(TIMEOUT_S * UINT64_C(1000000000));
    const ipc_connect_options options = {.deadline = deadline};
    ipc_connection *connection = NULL;
    status = ipc_connect(arguments[1], &options, &connection);
    if (status != IPC_OK)
        return failed("connect", status);
    const int result = echo(connection, deadline);
    ipc_connection_close(connection);
    if (result == 0)
        printf("%d records came back, ipc %s\n", RECORDS, ipc_version());
    return result;
}
