// The other side is a process of its own, and is killed.
#include <chrono>
#include <memory>
#include <thread>

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>

#include "rpc_check.hpp"
#include "rpc_contract.hpp"

namespace rpc_death_test
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::outcome;
using ipc::rpc::server;
using ipc::rpc::status;
using ipc::rpc::stream_writer;

namespace
{

// A peer process; killed at the end unless it has ended.
class peer
{
  public:
    peer(const char *verb, const char *argument = nullptr)
    {
        int to[2], from[2];
        CHECK(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
        pid_ = fork();
        CHECK(pid_ >= 0);
        if (pid_ == 0) {
            dup2(to[0], STDIN_FILENO);
            dup2(from[1], STDOUT_FILENO);
            execl(RPC_PEER, RPC_PEER, verb, "rpc", argument, static_cast<char *>(nullptr));
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        input_ = to[1];
        output_ = fdopen(from[0], "r");
    }

    ~peer()
    {
        if (pid_ > 0)
            kill();
        close(input_);
        fclose(output_);
    }

    void wait_until_ready()
    {
        char line[256] = "";
        CHECK(fgets(line, sizeof line, output_) != nullptr);
        CHECK_EQUAL(std::string(line), "ready\n");
    }

    void kill()
    {
        ::kill(pid_, SIGKILL);
        exit_code();
    }

    int exit_code()
    {
        int state = 0;
        CHECK_EQUAL(waitpid(pid_, &state, 0), pid_);
        pid_ = -1;
        char line[256];
        if (WIFEXITED(state) && WEXITSTATUS(state) != 0) {
            while (fgets(line, sizeof line, output_) != nullptr)
                fputs(line, stderr); // what it found wrong
        }
        return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
    }

    pid_t pid() const
    {
        return pid_;
    }

  private:
    pid_t pid_ = -1;
    int input_ = -1;
    FILE *output_ = nullptr;
};

} // namespace

TEST(AnotherProcessCallsEverything)
{
    server at("rpc");
    contract::serve(at);
    at.start();
    peer other("call", "2000");
    CHECK_EQUAL(other.exit_code(), 0);
}

TEST(AnotherProcessUsesStreamsAndExtrasAndIsCalledBack)
{
    server at("rpc");
    contract::serve(at);
    at.start();
    peer streams("streams", "1000");
    CHECK_EQUAL(streams.exit_code(), 0);
    peer extras("extras");
    CHECK_EQUAL(extras.exit_code(), 0);
    peer callbacks("callbacks", "300");
    CHECK_EQUAL(callbacks.exit_code(), 0);
    peer async("async", "500");
    CHECK_EQUAL(async.exit_code(), 0);
}

TEST(AServerThatIsKilledEndsItsPendingCalls)
{
    peer other("serve");
    other.wait_until_ready();
    client caller("rpc");
    CHECK_EQUAL(caller.server_pid(), other.pid());
    contract::SleepRequest sleep;
    sleep.set_ms(600'000);
    contract::CountRequest counting;
    counting.set_count(1'000'000);
    counting.set_size(10);
    auto items = caller.stream(contract::count, counting);
    Blob item, response;
    CHECK(items.next(item));
    outcome result, blocked;
    auto sent = caller.call_async(contract::sleep, sleep);
    std::thread pending([&] { // sent before the kill, or refused after it: no test can tell
        Blob none;
        blocked = caller.try_call(contract::sleep, sleep, none);
    });
    CHECK(caller.try_call(contract::echo, Blob(), item, 30s));
    other.kill();
    pending.join();
    CHECK_EQUAL(blocked.code, status::unavailable);
    result = sent.try_get(response);
    CHECK_EQUAL(result.code, status::unavailable);
    CHECK(result.text.find("died") != std::string::npos);
    bool got = true;
    while ((result = items.try_next(item, got)) && got) {
    }
    CHECK_EQUAL(result.code, status::unavailable);

    // Without a server calls fail at once; with the next one they work again.
    CHECK_EQUAL(caller.try_call(contract::echo, Blob(), response).code, status::unavailable);
    peer next("serve");
    next.wait_until_ready();
    CHECK_EQUAL(caller.try_call(contract::echo, Blob(), response, 30s).text, "");
    CHECK_EQUAL(caller.server_pid(), next.pid());
}

TEST(AClientThatIsKilledCancelsItsHandlers)
{
    check::signal begun, call_over, stream_over;
    server at("rpc");
    at.unary(contract::sleep, [&](const contract::SleepRequest &, Blob &, call_context &context) {
        begun.set();
        while (!context.wait(10s)) {
        }
        call_over.set();
    });
    at.server_stream(contract::count, [&](const contract::CountRequest &, stream_writer<Blob> &items, call_context &) {
        while (items.write(Blob())) {
        }
        stream_over.set();
    });
    at.start();
    peer other("hang");
    begun.wait(); // the stream began before the call
    other.kill();
    call_over.wait();
    stream_over.wait();
}

TEST(AStoppedClientHoldsUpNobody)
{
    server at("rpc");
    contract::serve(at);
    at.start();
    peer other("hang");
    other.wait_until_ready();
    ::kill(other.pid(), SIGSTOP);
    client caller("rpc");
    Blob response;
    for (int i = 0; i < 200; ++i)
        CHECK(caller.try_call(contract::echo, Blob(), response, 60s));
    other.kill(); // a stopped process can be killed
}

} // namespace rpc_death_test
