// The C++ code of docs/guide/pipes-and-grpc.md.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "ipc/pipe_listener.hpp"
#include "ipc/pipe_stream.hpp"

namespace
{

// snippet: serve
void upper(ipc::pipe client)
{
    ipc::pipe_stream stream(std::move(client));
    for (std::string line; std::getline(stream, line);) {
        std::transform(line.begin(), line.end(), line.begin(), [](unsigned char one) { return std::toupper(one); });
        stream << line << '\n'; // goes when the next line is waited for, or with a flush
    }
    if (stream.bad()) // else the client has said that it was all
        std::cerr << "cut off, or not read any more: " << stream.pipe().reason() << '\n';
} // both streams end in good order; by an exception: cut off
// end-snippet

} // namespace

int main()
{
    // snippet: listen
    ipc::pipe_listener listener("upper");
    std::thread serving([&listener] {
        ipc::pipe client;
        while (listener.accept(client) == IPC_OK) // until stop()
            std::thread(upper, std::move(client)).detach();
    });
    // end-snippet

    // snippet: connect
    ipc::pipe_stream stream("upper"); // or of an IpcPipeListener in C#
    stream << "hello\n";
    std::string answer;
    std::getline(stream, answer);
    std::cout << answer << '\n'; //> HELLO
    // end-snippet

    // snippet: bytes
    ipc::pipe pipe = ipc::pipe::connect("upper");
    pipe.write("plain bytes\n");
    pipe.end(); // no more from here; the answer is still to come

    char bytes[1000];
    size_t got = 0;
    while (pipe.read(bytes, sizeof bytes, got) == IPC_OK && got != 0)
        std::cout << std::string(bytes, got); //> PLAIN BYTES
    // end-snippet

    if (stream.end() != IPC_OK)
        return 1;
    while (stream.get() != EOF) // until the server has ended it
        ;
    listener.stop();
    serving.join();
    return 0;
}
