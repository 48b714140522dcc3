// ipc/pipe.hpp and ipc/pipe_stream.hpp, both ends in one process. With C# at the other end: tests/Ipc.Pipelines.Tests.
#include <atomic>
#include <iomanip>
#include <thread>
#include <utility>

#include "ipc/pipe_listener.hpp"
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
    CHECK(from.bad());
    CHECK_EQUAL(from.buffer().last_read(), IPC_TIMEOUT);
    both.server.write("later");
    from.clear();
    std::string word;
    from >> std::setw(5) >> word;
    CHECK_EQUAL(word, "later");
    from.clear(); // it has looked for a sixth one
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

namespace
{

// What the other side makes of it: how it ended after whatever came.
ipc::status how(ipc::pipe &other)
{
    ipc::status ended;
    (void)rest(other, ended);
    return ended;
}

} // namespace

TEST(NothingButTheRestMakesACutStreamComplete)
{
    for (const int what : {0, 1, 2, 3, 4}) {
        pair both;
        const std::string all = some(10000);
        size_t sent = 0;
        CHECK_EQUAL(both.server.try_write(all, sent, 10ms), IPC_TIMEOUT);
        char bytes[piece];
        size_t got = 0;
        while (both.client.read(bytes, sizeof bytes, got, 0ms) == IPC_OK)
            ; // makes room
        size_t more = 0;
        if (what == 1)
            CHECK_EQUAL(both.server.try_write("", more), IPC_OK);
        if (what == 2)
            CHECK_EQUAL(both.server.try_write(std::string_view(all).substr(sent, 1000), more), IPC_OK);
        if (what == 3)
            CHECK_EQUAL(both.server.try_write(std::string_view(all).substr(sent), more, 10ms), IPC_TIMEOUT);
        if (what == 4)
            both.server.give_up();
        CHECK_EQUAL(both.server.try_end(), IPC_E_INVALID_STATE);
        both.server.close();
        CHECK_EQUAL(how(both.client), IPC_PEER_CLOSED);
    }
}

TEST(AWriteThatThrowsInItsMiddleGivesTheStreamUp)
{
    pair both;
    for (const char *const words : {"IPC_TIMEOUT", "given up"}) { // again: the half of it would be there twice
        try {
            both.server.write(some(10000), 10ms);
            CHECK(false);
        } catch (const ipc::error &failure) {
            CHECK(std::string(failure.what()).find(words) != std::string::npos);
        }
    }
    CHECK_EQUAL(both.server.abort("no more"), IPC_OK);
    both.server.close();
    CHECK_EQUAL(how(both.client), IPC_PEER_CLOSED);
    CHECK_EQUAL(both.client.reason(), "no more");
}

TEST(AnAbortWithoutRoomForItsWordsIsOneAllTheSame)
{
    int lines = 0;
    size_t sent = 0;
    {
        pair both;
        while (both.server.try_write(some(56), sent, 0ms) == IPC_OK)
            lines++;
    }
    pair both; // full, and it owes nothing
    for (int i = 0; i < lines; i++)
        both.server.write(some(56));
    CHECK_EQUAL(both.server.abort("the source has failed"), IPC_TIMEOUT);
    both.server.close();
    CHECK_EQUAL(how(both.client), IPC_PEER_CLOSED);
}

TEST(WhatAnExceptionDestroysIsCutOff)
{
    {
        pair both;
        try {
            const ipc::pipe to(std::move(both.server));
            throw 7;
        } catch (int) {
        }
        CHECK_EQUAL(how(both.client), IPC_PEER_CLOSED);
    }
    struct writes_at_its_end { // while an exception passes, which is none of the pipe's
        ipc::pipe &from;
        ~writes_at_its_end()
        {
            ipc::pipe to(std::move(from));
            size_t sent = 0;
            CHECK_EQUAL(to.try_write("all", sent), IPC_OK);
        }
    };
    pair both;
    try {
        const writes_at_its_end last{both.server};
        throw 7;
    } catch (int) {
    }
    CHECK_EQUAL(how(both.client), IPC_OK);
}

TEST(WritesToNobodyFailAlthoughThereIsRoom)
{
    size_t sent = 1;
    {
        pair both;
        both.client.close();
        CHECK_EQUAL(both.server.try_write("x", sent), IPC_PEER_CLOSED);
        CHECK_EQUAL(sent, 0u);
        CHECK_EQUAL(both.server.try_end(), IPC_E_INVALID_STATE); // it owes that one
        CHECK_EQUAL(both.server.try_write("x", sent), IPC_PEER_CLOSED);
    }
    {
        pair both; // this side's listener
        both.listener.close();
        CHECK(!both.server.is_open());
        CHECK_EQUAL(both.server.try_write("x", sent), IPC_CLOSED);
        CHECK_EQUAL(how(both.client), IPC_PEER_CLOSED);
    }
    {
        pair both; // but for what has had its end by then
        both.server.write("all of it");
        both.server.end();
        ipc::status ended;
        CHECK_EQUAL(rest(both.client, ended), "all of it");
        CHECK_EQUAL(ended, IPC_OK);
        both.listener.close();
        CHECK_EQUAL(how(both.client), IPC_OK);
    }
}

TEST(APipeOfNothingAnswersEveryCall)
{
    ipc::pipe none;
    ipc::pipe_listener nowhere;
    char one;
    size_t count = 1;
    CHECK_EQUAL(none.read(&one, 1, count), IPC_CLOSED);
    CHECK_EQUAL(none.try_write("x", count), IPC_CLOSED);
    CHECK_EQUAL(none.try_end(), IPC_CLOSED);
    CHECK_EQUAL(none.abort("x"), IPC_CLOSED);
    none.give_up();
    none.close();
    CHECK(!none && !none.is_open());
    CHECK_EQUAL(none.peer_pid(), 0);
    CHECK_EQUAL(none.peer_user(), IPC_NO_USER);
    CHECK_EQUAL(none.hello(), "");
    CHECK_EQUAL(nowhere.accept(none), IPC_CLOSED);
    nowhere.stop();
    nowhere.close();

    pair both;
    CHECK_EQUAL(both.client.read(&one, 0, count), IPC_E_INVALID_ARGUMENT);
    both.server.write("two");
    CHECK_EQUAL(both.client.read(&one, 1, count), IPC_OK);
    ipc::pipe &same = both.client;
    both.client = std::move(same);
    ipc::pipe moved = std::move(both.client); // with the rest of what it has read
    char bytes[8];
    CHECK_EQUAL(moved.read(bytes, sizeof bytes, count), IPC_OK);
    CHECK_EQUAL(std::string(bytes, count), "wo");
    CHECK_EQUAL(moved.try_write(some(100000), count, 10ms), IPC_TIMEOUT);
    both.client = std::move(moved); // with what it owes
    CHECK_EQUAL(both.client.try_end(), IPC_E_INVALID_STATE);
    ipc::pipe ended = std::move(both.server);
    ended.end();
    both.server = std::move(ended); // with its end
    CHECK_EQUAL(both.server.try_write("x", count), IPC_E_INVALID_STATE);
}

TEST(AcceptTakesItsTimeOnceHoweverManyAreRefused)
{
    ipc::pipe_listener listener("pipe");
    ipc::pipe none;
    std::thread connecting([&] {
        for (int i = 0; i < 3; i++) {
            ipc::connection refused;
            (void)ipc::connection::try_connect("pipe", {}, refused);
        }
    });
    const uint64_t began = ipc_deadline_after(0);
    CHECK_EQUAL(listener.accept(none, 200ms), IPC_TIMEOUT);
    CHECK(ipc_deadline_after(0) - began >= 200000000);
    connecting.join();
}

TEST(AStreamThatCannotTakeBytesIsNeverComplete)
{
    for (const int what : {0, 1, 2, 3}) {
        pair both;
        {
            ipc::pipe_stream to(std::move(both.server), 10ms, 10ms);
            const std::string text = some(16000);
            to.write(text.data(), 16000);
            to.write(text.data(), 5000); // its buffer has no room, and the ring neither
            CHECK(to.bad());
            if (what != 0)
                to.clear();
            if (what == 1)
                to << "more";
            if (what == 2)
                CHECK_EQUAL(to.end(), IPC_E_INVALID_STATE);
            if (what == 3)
                to.put('x');
        }
        CHECK_EQUAL(how(both.client), IPC_PEER_CLOSED);
    }
}

TEST(ABufferSendsWhatIsLeftOrGivesTheStreamUp)
{
    for (const size_t length : {10u, 16000u}) { // there is room for the first
        pair both;
        {
            ipc::pipe_buffer buffer(both.server, 10ms, 10ms);
            std::ostream to(&buffer);
            to << some(length);
        }
        both.server.close();
        CHECK_EQUAL(how(both.client), length == 10 ? IPC_OK : IPC_PEER_CLOSED);
    }
}

TEST(AnEndHasOneMomentForAllOfIt)
{
    pair both;
    ipc::pipe_stream to(std::move(both.server)); // writes wait without limit
    to << some(16000);
    CHECK_EQUAL(to.end(10ms), IPC_TIMEOUT);
    CHECK_EQUAL(to.abort("late"), IPC_OK); // a line is left
    CHECK_EQUAL(how(both.client), IPC_PEER_CLOSED);
}

TEST(AReadWaitsAlthoughAWriteHasFailed)
{
    pair both;
    ipc::pipe_stream stream(std::move(both.client), 60s, 10ms);
    stream << "x";
    CHECK_EQUAL(stream.abort("why"), IPC_OK);
    std::thread later([&] {
        char one;
        size_t got = 0;
        CHECK_EQUAL(both.server.read(&one, 1, got, 60s), IPC_PEER_CLOSED);
        both.server.write("the other stream goes on\n");
    });
    std::string line;
    CHECK(std::getline(stream, line));
    CHECK_EQUAL(line, "the other stream goes on");
    later.join();
}

TEST(HalfALineIsNotTakenForAWholeOne)
{
    for (const bool is_cut : {false, true}) {
        pair both;
        both.server.write("first\nDELETE /tmp/x");
        if (is_cut)
            CHECK_EQUAL(both.server.abort("no more"), IPC_OK);
        else
            both.server.end();
        ipc::pipe_stream from(std::move(both.client));
        std::string line;
        CHECK(std::getline(from, line));
        CHECK_EQUAL(static_cast<bool>(std::getline(from, line)), !is_cut); // without a newline at the end, as of a file
        CHECK_EQUAL(from.bad(), is_cut);
        CHECK_EQUAL(from.buffer().last_read(), is_cut ? IPC_PEER_CLOSED : IPC_OK);
        CHECK_EQUAL(from.pipe().reason(), is_cut ? "no more" : "");
    }
}

TEST(WhatWasReadBeforeAFailureIsNotLost)
{
    pair both;
    both.server.write("abcde");
    ipc::pipe_stream from(std::move(both.client), 10ms);
    char bytes[10];
    from.read(bytes, 10);
    CHECK_EQUAL(from.gcount(), 5);
    CHECK_EQUAL(std::string(bytes, 5), "abcde");
    from.clear();
    from.read(bytes, 10);
    CHECK(from.bad());
}

TEST(ALongReadLeavesNothingToPutBack)
{
    pair both(65536);
    both.server.write(std::string(10, 'o'));
    both.server.write(std::string(40000, 'V'));
    ipc::pipe_stream from(std::move(both.client));
    CHECK_EQUAL(from.get(), 'o');
    std::string bytes(40009, 0);
    from.read(bytes.data(), 40009);
    CHECK_EQUAL(bytes.back(), 'V');
    from.unget();
    CHECK(from.bad()); // nothing, in the place of another byte
}

TEST(ACancelEndsAStreamsRead)
{
    pair both;
    ipc::cancel_source cancel;
    ipc::pipe_stream from(std::move(both.client), {}, {}, cancel.get());
    std::thread later([&] { cancel.trigger(); });
    CHECK_EQUAL(from.get(), EOF);
    CHECK_EQUAL(from.buffer().last_read(), IPC_CANCELLED);
    later.join();
}

TEST(ACancelEndsAConnect)
{
    ipc::cancel_source cancel;
    ipc::pipe_options options;
    options.until = ipc::deadline(1h);
    options.cancel = cancel.get();
    std::thread later([&] { cancel.trigger(); });
    ipc::pipe none;
    CHECK_EQUAL(ipc::pipe::try_connect("pipe", options, none), IPC_CANCELLED);
    CHECK(!none);
    later.join();
}

TEST(OneThatSpeaksAnotherProtocolIsOfAnotherKind)
{
    ipc::connection none;
    ipc_connect_options calls{};
    calls.protocol = {IPC_PROTOCOL_CALLS, 1, 0};
    const ipc::pipe_listener pipes("pipe");
    CHECK_EQUAL(ipc::connection::try_connect("pipe", calls, none), IPC_E_WRONG_KIND);
    ipc_listener_options options{};
    options.protocol = {IPC_PROTOCOL_CALLS, 1, 0};
    const ipc::listener server("server", options);
    ipc::pipe no_pipe;
    CHECK_EQUAL(ipc::pipe::try_connect("server", {}, no_pipe), IPC_E_WRONG_KIND);
}

// Each piece is taken long before the moment, all of them long after it.
TEST(AWriteOfManyPiecesHasOneMoment)
{
    pair both;
    std::atomic<bool> is_over{false};
    std::thread reading([&] {
        char bytes[piece];
        size_t got = 0;
        while (!is_over && both.client.read(bytes, sizeof bytes, got, 60s) == IPC_OK && got != 0)
            std::this_thread::sleep_for(20ms);
    });
    size_t sent = 0;
    CHECK_EQUAL(both.server.try_write(some(200000), sent, 200ms), IPC_TIMEOUT);
    CHECK(sent >= piece);
    is_over = true;
    both.server.close();
    reading.join();
}

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
