// The other process of the pipes' tests: ipc/pipe.hpp as C# meets it (tests/Ipc.Pipelines.Tests/CppTests.cs).
//   echo NAME             serves until its input ends: what a client sends comes back, and its end
//   send NAME TOTAL       a client of an echo: exit code 0 if all came back, and nothing else
//   take NAME             a client that reads to the end, and prints how many bytes came and how it ended
//   abort NAME TEXT       a client that sends "half", and then why it cannot go on
//   cut NAME              a server that closes in the middle of a write
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ipc/pipe_listener.hpp"
#include "ipc/pipe_stream.hpp"

using namespace std::chrono_literals;

namespace
{

// As Content.cs: any piece of a stream can be checked by its position.
char at(uint64_t position)
{
    return static_cast<char>((position * 31) ^ (position >> 8) ^ (position >> 17));
}

void echo(ipc::pipe pipe)
{
    std::vector<char> bytes(50000);
    for (;;) {
        size_t got = 0;
        size_t sent = 0;
        if (pipe.read(bytes.data(), bytes.size(), got) != IPC_OK)
            return;
        if (got == 0)
            break;
        if (pipe.try_write({bytes.data(), got}, sent) != IPC_OK)
            return;
    }
    (void)pipe.try_end();
}

int serve(const std::string &name)
{
    ipc::pipe_listener listener(name);
    std::vector<std::thread> clients;
    std::puts("ready");
    std::fflush(stdout);
    std::thread waits([&listener] {
        while (std::getchar() != EOF)
            ;
        listener.stop();
    });
    ipc::pipe next;
    while (listener.accept(next) == IPC_OK)
        clients.emplace_back(echo, std::move(next));
    waits.join();
    for (std::thread &client : clients)
        client.join();
    return 0;
}

int send(const std::string &name, uint64_t total)
{
    ipc::pipe pipe = ipc::pipe::connect(name);
    std::thread writing([&pipe, total] {
        std::mt19937 random(7);
        std::vector<char> bytes(200000);
        for (uint64_t position = 0; position < total;) {
            const size_t length = std::min<uint64_t>(1 + random() % (random() % 2 == 0 ? 100 : bytes.size()), total - position);
            for (size_t i = 0; i < length; i++)
                bytes[i] = at(position + i);
            pipe.write({bytes.data(), length});
            position += length;
        }
        pipe.end();
    });
    uint64_t position = 0;
    bool good = true;
    ipc::pipe_buffer buffer(pipe);
    std::istream stream(&buffer);
    for (int one = stream.get(); one != EOF && good; one = stream.get())
        good = static_cast<char>(one) == at(position++);
    writing.join();
    return good && position == total && !stream.bad() && buffer.last_read() == IPC_OK ? 0 : 1;
}

int take(const std::string &name)
{
    ipc::pipe pipe = ipc::pipe::connect(name);
    std::puts("ready");
    std::fflush(stdout);
    std::vector<char> bytes(65536);
    uint64_t all = 0;
    size_t got = 0;
    ipc::status status = IPC_OK;
    while ((status = pipe.read(bytes.data(), bytes.size(), got)) == IPC_OK && got != 0)
        all += got;
    std::printf("%llu %s %s\n", static_cast<unsigned long long>(all), ipc_status_name(status), pipe.reason().c_str());
    return 0;
}

int abort_with(const std::string &name, const std::string &text)
{
    ipc::pipe pipe = ipc::pipe::connect(name);
    pipe.write("half");
    (void)pipe.abort(text);
    char one;
    size_t got = 0;
    return pipe.read(&one, 1, got) == IPC_OK && got == 0 ? 0 : 1; // the other stream has an end of its own
}

int cut(const std::string &name)
{
    ipc::pipe_listener listener(name);
    std::puts("ready");
    std::fflush(stdout);
    ipc::pipe client;
    size_t sent = 0;
    if (listener.accept(client) != IPC_OK || client.try_write(std::string(100'000'000, 'x'), sent, 1ms) != IPC_TIMEOUT)
        return 1;
    client.close();
    while (std::getchar() != EOF) // the listener's end would be another reason
        ;
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string verb = argc > 2 ? argv[1] : "";
    if (verb == "echo")
        return serve(argv[2]);
    if (verb == "send" && argc > 3)
        return send(argv[2], std::stoull(argv[3]));
    if (verb == "take")
        return take(argv[2]);
    if (verb == "abort" && argc > 3)
        return abort_with(argv[2], argv[3]);
    if (verb == "cut")
        return cut(argv[2]);
    std::fprintf(stderr, "pipe_peer echo NAME | cut NAME | send NAME TOTAL | take NAME | abort NAME TEXT\n");
    return 2;
}
