// ipc/pipe.hpp and ipc/pipe_stream.hpp, both ends in one process. With C# at the other end: tests/Ipc.Pipelines.Tests.
#include <iomanip>
#include <thread>
#include <utility>

#include "ipc/pipe_stream.hpp"
#include "ipc.hpp"
#include "rpc_check.hpp"

using namespace std::chrono_literals;

namespace
{

constexpr size_t piece = 4096 / 8 - 8;

struct pair {
    explicit pair(uint64_t capacity = 4096, std::string_view hello = {}) : listener("pipe")
    {
        ipc::pipe_options options;
        options.to_server_capacity = options.to_client_capacity = capacity;
        options.hello = hello;
        std::thread connecting([&] { client = ipc::pipe::connect("pipe", options); });
        CHECK_EQUAL(listener.accept(server, 60s), IPC_OK);
        connecting.join();
    }

    ipc::pipe_listener listener;
    ipc::pipe client;
    ipc::pipe server;
};

std::string some(size_t length)
{
    std::string bytes(length, 0);
    for (size_t i = 0; i < length; i++)
        bytes[i] = static_cast<char>(i * 31 + (i >> 8));
    return bytes;
}

// Until the end, or until something else than bytes comes.
std::string rest(ipc::pipe &from, ipc::status &ended)
{
    std::string all;
    char bytes[1000];
    size_t got = 0;
    while ((ended = from.read(bytes, sizeof bytes, got, 60s)) == IPC_OK && got != 0)
        all.append(bytes, got);
    return all;
}

} // namespace

TEST(APipeCarriesBothStreamsAndEachHasAnEnd)
{
    pair both(4096, "from here");
    CHECK_EQUAL(both.server.hello(), "from here");
    CHECK_EQUAL(both.server.peer_pid(), static_cast<int>(getpid()));
    const std::string sent = some(100000);
    std::thread sending([&] {
        both.client.write(sent);
        both.client.end();
        size_t none = 1;
        CHECK_EQUAL(both.client.try_write("x", none), IPC_E_INVALID_STATE);
        CHECK_EQUAL(none, 0u);
    });
    ipc::status ended;
    CHECK(rest(both.server, ended) == sent);
    CHECK_EQUAL(ended, IPC_OK);
    sending.join();
    both.server.write("and back");
    both.server.close();
    CHECK_EQUAL(rest(both.client, ended), "and back");
    CHECK_EQUAL(ended, IPC_OK); // it closed, and had sent everything
    size_t got = 1;
    CHECK_EQUAL(both.server.read(&got, 1, got), IPC_CLOSED);
    CHECK_EQUAL(both.client.read(&got, 1, got), IPC_OK);
    CHECK_EQUAL(got, 0u);
}

TEST(AStreamThatIsCutOffIsNoEnd)
{
    ipc::status ended;
    {
        pair both;
        both.client.write("half");
        CHECK_EQUAL(both.client.abort("the source has failed"), IPC_OK);
        CHECK_EQUAL(rest(both.server, ended), "half");
        CHECK_EQUAL(ended, IPC_PEER_CLOSED);
        CHECK_EQUAL(both.server.reason(), "the source has failed");
        both.server.write("goes on");
        both.server.end();
        CHECK_EQUAL(rest(both.client, ended), "goes on");
    }
    {
        pair both; // a long text ends between two characters
        CHECK_EQUAL(both.client.abort(std::string(511, 'a') + "\xC3\xA4"), IPC_OK);
        CHECK_EQUAL(rest(both.server, ended), "");
        CHECK_EQUAL(both.server.reason(), std::string(511, 'a'));
    }
    {
        pair both; // it closes in the middle of a write
        size_t sent = 0;
        CHECK_EQUAL(both.server.try_write(some(100000), sent, 10ms), IPC_TIMEOUT);
        CHECK(sent >= piece && sent % piece == 0);
        both.server.close();
        CHECK(rest(both.client, ended) == some(100000).substr(0, sent));
        CHECK_EQUAL(ended, IPC_PEER_CLOSED);
        CHECK_EQUAL(both.client.reason(), "The pipe was closed in the middle of a write.");
    }
    {
        pair both; // the same, but for the rest, which is written after all
        const std::string all = some(10000);
        size_t sent = 0;
        CHECK_EQUAL(both.server.try_write(all, sent, 10ms), IPC_TIMEOUT);
        CHECK_EQUAL(both.server.try_end(), IPC_E_INVALID_STATE); // it would look complete
        std::string read;
        std::thread reading([&] { read = rest(both.client, ended); });
        both.server.write(std::string_view(all).substr(sent));
        both.server.close();
        reading.join();
        CHECK(read == all);
        CHECK_EQUAL(ended, IPC_OK);
    }
}

TEST(WhatNoPipeWritesIsCorruptAndSaidSo)
{
    const std::pair<uint16_t, std::string> bad[] = {{0, "x"}, {1, ""}, {2, "x"}, {3, std::string(513, 'x')}, {4, ""}};
    for (const auto &[type, payload] : bad) {
        ipc::pipe_listener listener("pipe");
        ipc::connection client;
        std::thread connecting([&] {
            ipc_connect_options options{};
            options.hello = ipc::detail::pipe_magic.data();
            options.hello_length = 8;
            client = ipc::connection::connect("pipe", options);
        });
        ipc::pipe server;
        CHECK_EQUAL(listener.accept(server, 60s), IPC_OK);
        connecting.join();
        client.writer().write("good", 1);
        client.writer().write(payload, type);
        ipc::status ended;
        CHECK_EQUAL(rest(server, ended), "good");
        CHECK_EQUAL(ended, IPC_E_CORRUPT);
        CHECK_EQUAL(client.close_code(), static_cast<uint32_t>(IPC_CLOSE_PROTOCOL));
    }
}

TEST(WhoAsksForNoPipeIsRefused)
{
    ipc::pipe_listener listener("pipe");
    ipc::pipe none;
    std::string text;
    std::thread connecting([&] {
        try {
            (void)ipc::connection::connect("pipe");
        } catch (const ipc::error &failure) {
            text = failure.what();
        }
        listener.stop();
    });
    CHECK_EQUAL(listener.accept(none, 60s), IPC_STOPPED);
    connecting.join();
    CHECK(text.find("a listener for pipes") != std::string::npos);
    CHECK(!none);
    ipc::pipe_options options;
    options.hello = std::string_view("x", 1);
    const std::string longer(233, 'x');
    options.hello = longer;
    CHECK_EQUAL(ipc::pipe::try_connect("pipe", options, none), IPC_E_INVALID_ARGUMENT);
}

TEST(AStreamAnswersLineByLine)
{
    pair both(262144);
    std::thread serving([&] {
        ipc::pipe_stream client(std::move(both.server));
        for (std::string line; std::getline(client, line);)
            client << "<" << line << ">\n"; // goes before the next line is waited for
        CHECK_EQUAL(client.buffer().last_read(), IPC_OK);
    });
    ipc::pipe_stream stream(std::move(both.client), 60s);
    std::string line;
    for (int i = 0; i < 1000; i++) {
        stream << i << '\n'; // no flush: reading does it
        CHECK(std::getline(stream, line));
        CHECK_EQUAL(line, "<" + std::to_string(i) + ">");
    }
    const std::string longer = some(100000);
    stream << std::quoted(longer.substr(0, 50000)) << std::flush;
    CHECK_EQUAL(stream.end(), IPC_OK);
    std::string all(std::istreambuf_iterator<char>(stream), {});
    CHECK(all.size() > 50000);
    serving.join();
}

TEST(AStreamReadsAndWritesWhatIsLongerThanItsBuffer)
{
    pair both(65536);
    const std::string sent = some(1000000);
    std::thread serving([&] {
        ipc::pipe_stream to(std::move(both.server));
        to.write(sent.data(), 10);
        to.write(sent.data() + 10, 500000);
        to.write(sent.data() + 500010, 16383);
        to.put(sent[516393]);
        to.write(sent.data() + 516394, static_cast<std::streamsize>(sent.size() - 516394));
    });
    ipc::pipe_stream from(std::move(both.client));
    std::string got(sent.size() + 1, 0);
    from.read(got.data(), 7);
    from.read(got.data() + 7, 600000);
    CHECK(from.peek() != EOF);
    from.read(got.data() + 600007, static_cast<std::streamsize>(got.size() - 600007));
    CHECK_EQUAL(static_cast<size_t>(from.gcount()), sent.size() - 600007);
    CHECK(from.eof());
    CHECK(got.substr(0, sent.size()) == sent);
    serving.join();
}

TEST(AStreamThatFailsSaysWhyAndGoesOnAfterAClear)
{
    pair both;
    ipc::pipe_stream from(std::move(both.client), 10ms, 10ms);
    CHECK(from.get() == EOF);
    CHECK_EQUAL(from.buffer().last_read(), IPC_TIMEOUT);
    both.server.write("later");
    from.clear();
    std::string word;
    from >> std::setw(5) >> word;
    CHECK_EQUAL(word, "later");
    const std::string text = some(16000); // more than there is room for
    from << text << std::flush;
    CHECK(from.bad());
    CHECK_EQUAL(from.buffer().last_write(), IPC_TIMEOUT);
    std::string read;
    ipc::status ended;
    std::thread reading([&] { read = rest(both.server, ended); });
    while (from.bad()) {
        from.clear();
        from.flush();
    }
    CHECK_EQUAL(from.end(), IPC_OK);
    reading.join();
    CHECK(read == text);
    CHECK_EQUAL(ended, IPC_OK);
}

TEST(AStreamThatAnExceptionEndsIsCutOff)
{
    for (const bool throws : {false, true}) {
        pair both;
        try {
            ipc::pipe_stream to(std::move(both.server));
            to << "some";
            if (throws)
                throw 7;
        } catch (int) {
        }
        ipc::status ended;
        CHECK_EQUAL(rest(both.client, ended), throws ? "" : "some");
        CHECK_EQUAL(ended, throws ? IPC_PEER_CLOSED : IPC_OK);
    }
}

TEST(AStreamWithAGapIsNeverCompleted)
{
    pair both;
    ipc::status ended;
    {
        ipc::pipe_stream to(std::move(both.server), 10ms, 10ms);
        const std::string text = some(100000);
        to.write(text.data(), static_cast<std::streamsize>(text.size()));
        CHECK(to.bad());
        to.clear();
        char bytes[piece];
        size_t got = 0;
        while (both.client.read(bytes, sizeof bytes, got, 0ms) == IPC_OK)
            ; // makes room
        to << "more" << std::flush;
        CHECK(to.bad());
    }
    CHECK_EQUAL(rest(both.client, ended), "");
    CHECK_EQUAL(ended, IPC_PEER_CLOSED);
}

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
