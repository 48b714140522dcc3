// The code of docs/guide/rings-and-connections.md.
#include <chrono>
#include <iostream>
#include <thread>

#include "ipc.hpp"

using namespace std::chrono_literals;

namespace
{

// snippet: loop
void serve(ipc::listener &listener)
{
    ipc_event event;
    while (listener.next(event, ipc::deadline::never()) == IPC_OK) { // until stop()
        ipc_connection *const client = event.connection;
        switch (event.kind) {
        case IPC_EVENT_CONNECT:
            if (ipc_connection_accept(client) != IPC_OK) // or ipc_connection_refuse
                std::cerr << ipc_last_error() << '\n';    // it has gone meanwhile: IPC_EVENT_CLOSED is next
            break;
        case IPC_EVENT_READABLE: {
            ipc::reader_ref in = ipc_connection_reader(client);
            ipc::writer_ref out = ipc_connection_writer(client);
            ipc::record record;
            while (in.try_read(record) == IPC_OK) {
                if (out.try_write(record.text()) != IPC_OK)
                    break; // this client does not read its answers: the rest of what it asked is dropped
            }
            in.release();
            break;
        }
        case IPC_EVENT_CLOSED:
            ipc_connection_close(client);
            continue;
        case IPC_EVENT_FOLLOWED: // only where take_over was asked for
            continue;
        }
        listener.give_back(client); // watched again
    }
}
// end-snippet

} // namespace

int main()
{
    // snippet: ring
    ipc_ring_options options = {};
    options.capacity = 1 << 20;
    ipc::ring_writer writer("samples", options);
    ipc::ring_reader reader("samples");

    writer.write("one", 1, 1s);

    ipc::record record;
    if (reader.read(record, 1s) == IPC_OK)
        std::cout << record.text() << '\n'; //> one
    reader.release();                       // everything read so far
    // end-snippet

    ipc::status full = IPC_OK;
    for (int i = 0; i < (1 << 20) && full == IPC_OK; i++)
        full = writer.try_write("one more", 1);
    if (full != IPC_FULL)
        return 1;
    while (reader.try_read(record) == IPC_OK) // or they would stay, and the ring with them
        reader.release();

    // snippet: connection
    ipc::listener listener("echo");
    std::thread serving([&] { serve(listener); });
    {
        ipc::connection connection = ipc::connection::connect("echo");
        connection.writer().write("hello", 0, 5s);
        ipc::reader_ref answers = connection.reader();
        if (answers.read(record, 5s) == IPC_OK)
            std::cout << record.text() << '\n'; //> hello
        answers.release();
    }
    listener.stop();
    serving.join();
    // end-snippet
}
