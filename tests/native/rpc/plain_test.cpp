// The C++ headers as a program uses them that is compiled with neither exceptions nor type information: every call says by
// its result what became of it. The same file is also compiled with both, as plain_test; without them it is bare_test.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include <dirent.h>
#include <unistd.h>

#include "ipc.hpp"
#include "ipc/rpc.hpp"
#include "tests.pb.h"

using namespace std::chrono_literals;
using namespace tests::v1;

namespace rpc = ipc::rpc;

#define CHECK(condition)                                                                                               \
    do                                                                                                                 \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, ipc_last_error());                \
            std::_Exit(1);                                                                                             \
        }                                                                                                              \
    while (false)

#if defined(IPC_EXPECT_BARE) && (defined(__cpp_exceptions) || defined(__cpp_rtti) || !defined(IPC_NO_EXCEPTIONS))
#error "this is to be compiled without exceptions and type information"
#endif

namespace
{

constexpr rpc::method<Blob, Blob> echo{"tests.v1", "Echo"};
constexpr rpc::stream_method<CountRequest, Blob> count{"tests.v1", "Count"};
constexpr rpc::client_stream_method<CountRequest, Blob, Blob> collect{"tests.v1", "Collect"};
constexpr rpc::duplex_method<CountRequest, Blob, Blob> mirror{"tests.v1", "Mirror"};
constexpr rpc::method<Blob, Blob> back{"tests.back.v1", "Back"};
constexpr rpc::method<Blob, Blob> relay{"tests.v1", "Relay"};

Blob blob(const std::string &text)
{
    Blob made;
    made.set_data(text);
    return made;
}

rpc::outcome count_items(const CountRequest &request, rpc::stream_writer<Blob> &items)
{
    bool sent = true;
    for (int i = 0; i < request.count() && sent; i++)
        if (rpc::outcome result = items.try_write(blob(std::to_string(i)), sent); !result)
            return result;
    return {};
}

rpc::outcome collect_items(const CountRequest &, rpc::stream_input<Blob> &items, Blob &response)
{
    int got = 0;
    bool more = true;
    for (Blob item;; got++) {
        if (rpc::outcome result = items.try_next(item, more); !result)
            return result;
        if (!more)
            break;
        if (item.data() == "13")
            return {rpc::status::out_of_range, "unlucky"};
    }
    response.set_data(std::to_string(got));
    return {};
}

rpc::outcome mirror_items(const CountRequest &, rpc::stream_input<Blob> &in, rpc::stream_writer<Blob> &out)
{
    bool got = true;
    bool sent = true;
    for (Blob item; sent;) {
        if (rpc::outcome result = in.try_next(item, got); !result || !got)
            return result;
        if (rpc::outcome result = out.try_write(item, sent); !result)
            return result;
    }
    return {};
}

void serve(rpc::service &at)
{
    at.unary(echo, [](const Blob &request, Blob &response) -> rpc::outcome {
        if (request.data() == "bad")
            return {rpc::status::invalid_argument, "no"};
        response.set_data(request.data());
        return {};
    });
    at.server_stream(count, count_items);
    at.client_stream(collect, collect_items);
    at.duplex(mirror, mirror_items);
    at.unary(relay, [](const Blob &request, Blob &response, rpc::call_context &context) {
        return context.caller().try_call(back, request, response);
    });
}

// ---- ipc.hpp

void test_owners()
{
    ipc::ring_writer writer;
    ipc::ring_reader reader;
    CHECK(!writer && !reader);
    CHECK(ipc::ring_writer::try_open("ring", {}, writer) == IPC_OK && writer);
    CHECK(ipc::ring_reader::try_open("ring", {}, reader) == IPC_OK && reader);
    ipc::ring_writer second;
    CHECK(ipc::ring_writer::try_open("ring", {}, second) == IPC_E_IN_USE && !second);
    CHECK(writer.try_write("hello", 7) == IPC_OK);
    ipc::record record;
    CHECK(reader.try_read(record) == IPC_OK && record.text() == "hello" && record.type == 7);
    reader.release();

    ipc::queue queue;
    CHECK(ipc::queue::try_open("ring", {}, queue) == IPC_E_WRONG_KIND && !queue);
    CHECK(ipc::queue::try_open("queue", {}, queue) == IPC_OK);
    CHECK(queue.try_send("one") == IPC_OK);
    ipc::queue_message message;
    CHECK(queue.try_receive(message) == IPC_OK && message.text() == "one");
    message.release();

    ipc::topic_writer publisher;
    ipc::topic_reader subscriber;
    CHECK(ipc::topic_writer::try_open("topic", {}, publisher) == IPC_OK);
    CHECK(ipc::topic_reader::try_open("topic", {}, subscriber) == IPC_OK);
    CHECK(publisher.publish_until("news", 1, 0, ipc::deadline::now()) == IPC_OK);
    ipc::topic_message news;
    CHECK(subscriber.try_read(news) == IPC_OK && ipc::text_of(news) == "news");
    CHECK(subscriber.release() == IPC_OK);
    CHECK(publisher.try_publish("more", 2, 3) == IPC_OK && publisher.try_publish("") == IPC_OK);
    CHECK(subscriber.try_read(news) == IPC_OK && ipc::text_of(news) == "more" && news.type == 2 && news.key == 3);
    CHECK(subscriber.try_read(news) == IPC_OK && news.length == 0);
    for (uint32_t i = 2; i < publisher.info().block_count; ++i) // the reader holds two
        CHECK(publisher.try_publish("fill") == IPC_OK);
    CHECK(publisher.try_publish("fill") == IPC_FULL);
    CHECK(subscriber.release() == IPC_OK && publisher.try_publish("fill") == IPC_OK);

    ipc::shared_mutex mutex;
    CHECK(ipc::shared_mutex::try_open("mutex", {}, mutex) == IPC_OK);
    CHECK(mutex.try_release() == IPC_E_INVALID_STATE);
    CHECK(mutex.acquire() == IPC_OK && mutex.try_release() == IPC_OK);
    ipc::shared_semaphore semaphore;
    CHECK(ipc::shared_semaphore::try_open("semaphore", {}, semaphore) == IPC_OK);
    CHECK(semaphore.acquire() == IPC_OK && semaphore.try_release() == IPC_OK &&
          semaphore.try_release() == IPC_E_INVALID_STATE);
    ipc::shared_event event;
    CHECK(ipc::shared_event::try_open("event", {}, event) == IPC_OK);
    ipc::cancel_source cancel;
    cancel.trigger();
    CHECK(event.wait(20s, cancel.get()) == IPC_CANCELLED);
    event.set();
    CHECK(event.wait(20s) == IPC_OK);
}

void test_connection()
{
    ipc::listener listener;
    CHECK(ipc::listener::try_open("server", {}, listener) == IPC_OK);
    ipc::connection nobody;
    CHECK(ipc::connection::try_connect("nobody", {}, nobody) == IPC_E_NOT_FOUND && !nobody);
    std::thread server([&] {
        ipc_event event;
        CHECK(listener.next(event, 20s) == IPC_OK && event.kind == IPC_EVENT_CONNECT);
        CHECK(ipc_connection_accept(event.connection) == IPC_OK);
        ipc::connection mine(event.connection);
        CHECK(mine.writer().try_write("welcome") == IPC_OK);
    });
    ipc_connect_options options = {};
    options.deadline = ipc::deadline(20s).at();
    ipc::connection client;
    CHECK(ipc::connection::try_connect("server", options, client) == IPC_OK);
    ipc::record record;
    CHECK(client.reader().read(record, 20s) == IPC_OK && record.text() == "welcome");
    server.join();
    CHECK(client.reader().read(record, 20s) == IPC_PEER_CLOSED);
}

// ---- ipc/rpc.hpp

void test_calls(rpc::client &client)
{
    Blob response;
    CHECK(client.try_call(echo, blob("hi"), response, 20s) && response.data() == "hi");
    const rpc::outcome failed = client.try_call(echo, blob("bad"), response, 20s);
    CHECK(failed.code == rpc::status::invalid_argument && failed.text == "no");
    CHECK(client.try_call(back, blob("x"), response, 20s).code == rpc::status::unimplemented);
    CHECK(client.try_call(relay, blob("there"), response, 20s) && response.data() == "there and back");

    rpc::pending_call<Blob> later = client.call_async(echo, blob("later"), 20s);
    CHECK(later.try_get(response) && response.data() == "later");
    std::promise<bool> told;
    client.call_async(echo, blob("told"), [&](const rpc::outcome &result, Blob &got) {
        told.set_value(result && got.data() == "told");
    });
    CHECK(told.get_future().get());
    CHECK(client.try_notify(echo, blob("nobody waits")));

    rpc::metadata labels;
    CHECK(labels.try_add("key", "value") && !labels.try_add("Not A Key", "value") && labels.size() == 1);
}

void test_streams(rpc::client &client)
{
    CountRequest ten;
    ten.set_count(10);
    Blob item;
    bool got = false;

    std::optional<rpc::stream_reader<Blob>> items;
    CHECK(client.try_stream(count, ten, items) && items);
    for (int i = 0; i < 10; i++)
        CHECK(items->try_next(item, got, 20s) && got && item.data() == std::to_string(i));
    CHECK(items->try_next(item, got, 20s) && !got);

    for (const char *last : {"5", "13"}) {
        std::optional<rpc::client_stream_call<Blob, Blob>> sending;
        CHECK(client.try_client_stream(collect, ten, sending) && sending);
        bool sent = false;
        CHECK(sending->try_write(blob("4"), sent) && sent);
        CHECK(sending->try_write(blob(last), sent) && sent);
        const rpc::outcome ended = sending->try_finish(item);
        if (std::string(last) == "13")
            CHECK(ended.code == rpc::status::out_of_range && ended.text == "unlucky");
        else
            CHECK(ended && item.data() == "2");
    }

    std::optional<rpc::duplex_call<Blob, Blob>> both;
    CHECK(client.try_duplex(mirror, ten, both) && both);
    for (int i = 0; i < 3; i++) {
        bool sent = false;
        CHECK(both->try_write(blob(std::to_string(i)), sent) && sent);
        CHECK(both->try_next(item, got, 20s) && got && item.data() == std::to_string(i));
    }
    both->writes_done();
    CHECK(both->try_next(item, got, 20s) && !got);

    // Larger than any ring of this connection takes: said, not thrown, and nothing is broken.
    std::optional<rpc::client_stream_call<Blob, Blob>> large;
    bool sent = true;
    CHECK(client.try_client_stream(collect, ten, large));
    CHECK(large->try_write(blob(std::string(1 << 20, 'x')), sent).code == rpc::status::resource_exhausted && !sent);
    CHECK(large->try_finish(item) && item.data() == "0");
}

void test_rpc()
{
    std::optional<rpc::client> client;
    rpc::client_options options;
    options.connect_timeout = 0s;
    CHECK(rpc::client::try_connect("plain", options, client).code == rpc::status::unavailable && !client);

    rpc::server server("plain");
    serve(server);
    CHECK(server.try_start());
    CHECK(server.try_start().code == rpc::status::failed_precondition);
    rpc::server second("plain");
    CHECK(second.try_start().code == rpc::status::already_exists);

    options.connect_timeout = 20s;
    options.loan_budget = IPC_NO_LOANS;
    options.services = std::make_shared<rpc::service>();
    options.services->unary(back, [](const Blob &request, Blob &response) {
        response.set_data(request.data() + " and back");
    });
    CHECK(rpc::client::try_connect("plain", options, client) && client);
    test_calls(*client);
    test_streams(*client);
    server.stop();
    CHECK(server.try_wait());
    Blob response;
    CHECK(client->try_call(echo, blob("hi"), response, 20s).code == rpc::status::unavailable);
#ifdef IPC_NO_EXCEPTIONS
    client->close();
    CHECK(client->try_call(echo, blob("hi"), response, 20s).code == rpc::status::failed_precondition);
    // The client's thread has ended with it: who asks is told by the thread that asked.
    CHECK(client->call_async(echo, blob("hi"), 20s).try_get(response).code == rpc::status::failed_precondition);
    int told = 0;
    client->call_async(echo, blob("hi"), [&](const rpc::outcome &result, Blob &) {
        told += result.code == rpc::status::failed_precondition ? 1 : 100;
    });
    CHECK(told == 1);
#endif
}

#ifdef IPC_NO_EXCEPTIONS
// A mistake that an exception would tell at once is told when the server is to start.
void test_mistakes()
{
    rpc::server twice("twice");
    serve(twice);
    serve(twice);
    CHECK(twice.try_start().code == rpc::status::invalid_argument);
    CHECK(twice.flaw().text.find("tests.v1/Echo") != std::string::npos);

    rpc::client_options options;
    options.services = std::make_shared<rpc::service>();
    serve(*options.services);
    serve(*options.services);
    std::optional<rpc::client> client;
    CHECK(rpc::client::try_connect("nobody", options, client).code == rpc::status::invalid_argument);
}
#endif

bool is_empty(const char *folder)
{
    int names = 0;
    DIR *open = opendir(folder);
    CHECK(open != nullptr);
    while (readdir(open) != nullptr)
        names++;
    closedir(open);
    return names == 2;
}

} // namespace

int main()
{
    // Below the run's directory, so that what is left by a hang is found there.
    const char *given = getenv("IPC_DIR");
    std::string below = std::string(given != nullptr ? given : "/dev/shm") + "/ipc-test-XXXXXX";
    char *const folder = mkdtemp(below.data());
    CHECK(folder != nullptr);
    setenv("IPC_DIR", folder, 1);
    alarm(280);
    test_owners();
    test_connection();
    test_rpc();
#ifdef IPC_NO_EXCEPTIONS
    test_mistakes();
#endif
    CHECK(is_empty(folder));
    rmdir(folder);
    std::puts("ok");
}
