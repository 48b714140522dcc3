// A client that makes calls which fail, and prints what their errors say; its twin is ErrorTextTests in
// tests/Ipc.Rpc.Interop.Tests, which has the table.
//
//     rpc_peer errors NAME     prints a line for each, then "ready" with a Sleep pending; when the server has gone, a line for
//                              that and one for the next call
//
// 0 whatever happened.
#include <cstdio>
#include <string>

#include "rpc_contract.hpp"
#include "rpc_verbs.hpp"

namespace errors
{

using namespace std::chrono_literals;
using ipc::rpc::outcome;

namespace
{

void print(const outcome &failed)
{
    std::puts(failed ? "it went well" : failed.whole().c_str());
    std::fflush(stdout);
}

// Where a handler is slow to start, its deadline passes before that, and the server says so: once more, with longer.
outcome run_out(ipc::rpc::client &client, const contract::SleepRequest &sleep)
{
    contract::Blob response;
    for (auto limit = 20ms;; limit *= 2)
        if (outcome said = client.try_call(contract::sleep, sleep, response, limit);
            said.text.find(" before its handler ran.") == std::string::npos)
            return said;
}

} // namespace

int run(const char *name)
{
    ipc::rpc::client client(name);
    contract::Blob blob, response;
    const ipc::rpc::method<contract::Blob, contract::Blob> other("other.v1", "Echo"), newer("tests.v2", "Echo");
    print(client.try_call(other, blob, response, 60s));
    print(client.try_call(newer, blob, response, 60s));
    const ipc::rpc::method<contract::CountRequest, contract::Blob> as_unary("tests.v1", "Collect");
    print(client.try_call(as_unary, contract::CountRequest(), response, 60s));
    contract::FailRequest fail;
    fail.set_status(5);
    fail.set_text("there is none");
    print(client.try_call(contract::fail, fail, response, 60s));

    contract::SleepRequest sleep;
    sleep.set_ms(600'000);
    print(run_out(client, sleep));
    ipc::rpc::canceller stop;
    ipc::rpc::call_options cancelled;
    cancelled.cancel = &stop;
    stop.trigger();
    std::puts(client.try_call(contract::sleep, sleep, response, cancelled).text.c_str());

    ipc::rpc::pending_call<contract::Blob> pending = client.call_async(contract::sleep, sleep);
    std::puts("ready");
    std::fflush(stdout);
    print(pending.try_get(response));
    print(client.try_call(contract::echo, blob, response));
    return 0;
}

} // namespace errors
