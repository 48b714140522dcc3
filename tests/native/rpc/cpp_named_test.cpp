// ipc/named.hpp: owners and errors of named connections. What the calls themselves do is tested in C.
#include <thread>
#include <utility>

#include "ipc.hpp"
#include "rpc_check.hpp"

using namespace std::chrono_literals;

TEST(ANamedConversationOutlivesBothItsEnds)
{
    {
        ipc::named_connection client("exchange", "trader");
        CHECK_EQUAL(client.send("one", 7), 1u); // nobody is there
        CHECK_EQUAL(client.send("two"), 2u);
        CHECK_EQUAL(client.unacknowledged(), 2u);
    }
    ipc::named_listener listener("exchange");
    ipc_named_options options{};
    options.login = "me";
    options.login_length = 2;
    ipc::named_connection client("exchange", "trader", options);
    std::thread logging_in([&client] { client.connect(60s); });
    ipc_named_event event;
    CHECK_EQUAL(listener.next(event, 60s), IPC_OK);
    CHECK_EQUAL(static_cast<int>(event.kind), static_cast<int>(IPC_NAMED_LOGIN));
    ipc::named_connection server(event.connection);
    CHECK_EQUAL(server.login(), "me");
    CHECK_EQUAL(server.accept("welcome"), IPC_OK);
    logging_in.join();
    CHECK(client.is_connected());
    CHECK_EQUAL(client.reply(), "welcome");
    CHECK_EQUAL(client.identity(), "exchange");

    CHECK_EQUAL(listener.next(event, 60s), IPC_OK);
    ipc::named_message message;
    CHECK_EQUAL(server.receive(message, 60s), IPC_OK);
    CHECK_EQUAL(message.text(), "one");
    CHECK_EQUAL(message.type, 7);
    CHECK_EQUAL(message.sequence, 1u);
    CHECK(!message.redelivered);
    CHECK_EQUAL(server.try_receive(message), IPC_OK);
    CHECK_EQUAL(message.text(), "two");
    server.acknowledge(1);
    CHECK_EQUAL(client.unacknowledged(), 1u);
    server.acknowledge();
    listener.give_back(server);
    ipc::named_connection moved = std::move(server);
    CHECK(!server);
    CHECK_EQUAL(moved.received(), 2u);
    moved.close(IPC_CLOSE_PROTOCOL, "enough");
    CHECK_EQUAL(client.receive(message, 10ms), IPC_TIMEOUT);
    ipc_named_end end;
    CHECK(client.ended(end));
    CHECK_EQUAL(std::string(end.text), "enough");
    client.close();
    listener.close();
    CHECK_EQUAL(ipc::named_connection::try_remove("exchange", "trader"), IPC_OK);
}

TEST(ANamedConnectionThatCannotBeIsAnError)
{
    ipc::named_connection first("exchange", "trader");
    try {
        ipc::named_connection second("exchange", "trader");
        CHECK(false);
    } catch (const ipc::error &failure) {
        CHECK_EQUAL(failure.code(), IPC_E_IN_USE);
    }
    try {
        first.connect(ipc::deadline::now());
        CHECK(false);
    } catch (const ipc::error &failure) {
        CHECK_EQUAL(failure.code(), IPC_E_NOT_FOUND);
    }
    first.close();
    CHECK_EQUAL(ipc::named_connection::try_remove("exchange", "trader"), IPC_OK);
}

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
