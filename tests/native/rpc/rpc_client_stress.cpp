// A client in company: threads that share clients do everything at once that may meet. They call in every shape, cancel
// from elsewhere, batch out of order, close and destroy clients from wherever user code runs, while servers come and go.
// Meant for the sanitizers; what it checks itself is that every call ends, once, with an outcome that it may have, and
// that what comes is what was asked for.
//
//     rpc_client_test rpc_client_stress [--seconds N] [--seed S]    ten minutes: --seconds 600
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "rpc_check.hpp"
#include "rpc_contract.hpp"

namespace rpc_client_stress
{

using namespace std::chrono_literals;
using contract::Blob;
using ipc::rpc::call_options;
using ipc::rpc::canceller;
using ipc::rpc::client;
using ipc::rpc::client_options;
using ipc::rpc::outcome;
using ipc::rpc::status;

namespace
{

constexpr ipc::rpc::method<Blob, Blob> waits{"tests.v1", "Waits"};

std::atomic<bool> over{false};
std::atomic<uint64_t> begun{0}, ended{0}, done{0}, reports_closed{0};

void require(bool condition, const std::string &what)
{
    if (condition)
        return;
    std::printf("wrong: %s\n", what.c_str());
    std::fflush(stdout);
    std::_Exit(1);
}

void check(const outcome &result, const char *what)
{
    switch (result.code) {
    case status::ok:
        ++done;
        return;
    case status::cancelled:
    case status::deadline_exceeded:
    case status::unavailable:
    case status::resource_exhausted:
        return;
    default:
        require(false, std::string(what) + ": " + name_of(result.code) + ", " + result.text);
    }
}

struct witness final : ipc::rpc::observer {
    uint64_t started(const ipc::rpc::call_info &, std::string &) noexcept override
    {
        return 0;
    }

    void ended(const ipc::rpc::call_info &, uint64_t, const outcome &, std::chrono::nanoseconds) noexcept override
    {
    }

    void threw(const ipc::rpc::call_info &, const outcome &thrown) noexcept override
    {
        require(thrown.text == "on purpose", "a completion threw " + thrown.text);
    }
};

// The clients that all threads share. A place is empty while there is no server.
class clients
{
  public:
    std::shared_ptr<client> any(std::mt19937 &dice)
    {
        const size_t place = dice() % places;
        {
            const std::lock_guard held(mutex_);
            if (all_[place] != nullptr)
                return all_[place];
        }
        client_options options;
        options.services = dice() % 2 == 0 ? contract::callbacks() : nullptr;
        options.to_server_capacity = dice() % 2 == 0 ? 16 * 1024 : 0;
        options.max_queued_bytes = dice() % 2 == 0 ? 20'000 : 1 << 20;
        options.connect_timeout = 20ms;
        options.observer = observer_;
        if (dice() % 4 == 0)
            options.on_connection = [](const ipc::rpc::connection_change &) {};
        std::optional<client> made;
        client::try_connect("stress", options, made);
        if (!made)
            return nullptr;
        auto fresh = std::make_shared<client>(std::move(*made));
        std::shared_ptr<client> before; // destroyed without the mutex: that waits for completions
        const std::lock_guard held(mutex_);
        before = std::exchange(all_[place], fresh);
        return fresh;
    }

    // Somebody has closed it, or wants another one. The last who has it destroys it.
    void drop(const client *which)
    {
        std::shared_ptr<client> gone;
        const std::lock_guard held(mutex_);
        for (auto &each : all_)
            if (each.get() == which) {
                gone = std::move(each); // destroyed below only if nobody else has it, and not under the mutex
                leftover_.swap(gone);
            }
    }

    void clear()
    {
        std::vector<std::shared_ptr<client>> all;
        const std::lock_guard held(mutex_);
        for (auto &each : all_)
            all.push_back(std::move(each));
        all.push_back(std::move(leftover_));
    }

  private:
    static constexpr size_t places = 3;

    std::mutex mutex_;
    std::shared_ptr<client> all_[places];
    std::shared_ptr<client> leftover_;
    const std::shared_ptr<witness> observer_ = std::make_shared<witness>();
};

Blob blob(const std::string &data)
{
    Blob made;
    made.set_data(data);
    return made;
}

contract::CountRequest counting(int count, int size = 20)
{
    contract::CountRequest made;
    made.set_count(count);
    made.set_size(size);
    return made;
}

// One thread's dice and the cancellers that it throws to the thread that triggers them.
struct player {
    clients &all;
    std::mt19937 dice;
    std::mutex mutex;
    std::vector<std::shared_ptr<canceller>> thrown;

    player(clients &shared, unsigned seed) : all(shared), dice(seed)
    {
    }

    call_options options(std::shared_ptr<canceller> &kept)
    {
        call_options made;
        if (dice() % 2 == 0)
            made.until = std::chrono::microseconds(dice() % 50'000);
        if (dice() % 2 == 0) {
            kept = std::make_shared<canceller>();
            if (dice() % 8 == 0)
                kept->trigger();
            made.cancel = kept.get();
            const std::lock_guard held(mutex);
            thrown.push_back(kept);
        }
        return made;
    }
};

void asynchronous(player &me, const std::shared_ptr<client> &over_it)
{
    std::shared_ptr<canceller> cancel;
    call_options options = me.options(cancel);
    const std::string text = contract::pattern(static_cast<int>(me.dice()), static_cast<int>(me.dice() % 3000));
    const auto &method = me.dice() % 4 == 0 ? waits : contract::echo;
    const unsigned then = me.dice() % 16;
    ++begun;
    try {
        over_it->call_async(
            method, blob(text),
            [&me, text, then, kept = over_it, cancel, once = std::make_shared<int>(0)](const outcome &result, Blob &got) {
                const struct ending {
                    ~ending()
                    {
                        ++ended;
                    }
                } last;
                require(++*once == 1, "a completion was called twice");
                check(result, "an asynchronous call");
                require(!result || got.data() == text, "another response");
                if (then == 0) {
                    kept->close();
                    me.all.drop(kept.get());
                } else if (then == 1) {
                    try {
                        Blob again;
                        check(kept->try_call(contract::echo, blob("in a completion"), again, 20ms), "a call within");
                    } catch (const ipc::error &closed) {
                        require(closed.code() == IPC_CLOSED, closed.what());
                    }
                } else if (then == 2) {
                    throw std::runtime_error("on purpose");
                } else if (then == 3 && cancel != nullptr) {
                    cancel->trigger();
                }
            },
            options);
    } catch (...) {
        --begun;
        throw;
    }
}

void progress(player &me, std::shared_ptr<client> over_it)
{
    std::shared_ptr<canceller> cancel;
    const call_options options = me.options(cancel);
    const unsigned then = me.dice() % 8;
    client &reference = *over_it;
    Blob response;
    try {
        check(reference.try_call(
                  contract::steps, counting(20), response,
                  [&](const Blob &) {
                      if (then == 0) {
                          reference.close();
                          ++reports_closed;
                      } else if (then == 1 && over_it != nullptr) {
                          me.all.drop(over_it.get());
                          over_it.reset(); // perhaps the last
                      } else if (then == 2) {
                          throw std::runtime_error("on purpose");
                      } else if (then == 3 && over_it != nullptr) {
                          Blob again;
                          check(over_it->try_call(contract::echo, blob("in a report"), again, 20ms), "a call within");
                      }
                  },
                  options),
              "a call with progress");
    } catch (const std::runtime_error &thrown) {
        if (std::strcmp(thrown.what(), "on purpose") != 0)
            throw;
    }
}

void both_ways(player &me, client &over_it)
{
    std::shared_ptr<canceller> cancel;
    const call_options options = me.options(cancel);
    std::optional<ipc::rpc::duplex_call<Blob, Blob>> call;
    check(over_it.try_duplex(contract::mirror, counting(0), call, options), "a duplex call");
    if (!call)
        return;
    const bool cancels = me.dice() % 2 == 0;
    const int items = static_cast<int>(me.dice() % 60);
    std::thread writer([&] {
        bool sent = true;
        for (int i = 0; i < items && sent; ++i)
            if (!call->try_write(blob(contract::pattern(i, 30)), sent))
                break;
        if (cancels)
            call->cancel();
        else
            call->writes_done();
    });
    Blob item;
    bool got = true;
    for (int i = 0; got; ++i) {
        check(call->try_next(item, got), "a duplex call's items");
        require(!got || item.data() == contract::pattern(i, 30), "another item");
    }
    writer.join();
}

void streams(player &me, client &over_it)
{
    std::shared_ptr<canceller> cancel;
    const call_options options = me.options(cancel);
    std::optional<ipc::rpc::stream_reader<Blob>> items;
    check(over_it.try_stream(contract::count, counting(100), items, options), "a stream");
    Blob item;
    bool got = items.has_value();
    const int most = static_cast<int>(me.dice() % 150);
    for (int i = 0; got && i < most; ++i) {
        check(items->try_next(item, got), "a stream's items");
        require(!got || item.data() == contract::pattern(i, 20), "another item of a stream");
    }
    std::optional<ipc::rpc::client_stream_call<Blob, Blob>> upload;
    check(over_it.try_client_stream(contract::collect, counting(0), upload, options), "an upload");
    bool sent = upload.has_value();
    for (int i = 0; sent && i < 40; ++i)
        if (!upload->try_write(blob("12345"), sent))
            break;
    Blob response;
    if (upload && me.dice() % 4 != 0)
        check(upload->try_finish(response), "an upload's end");
}

void batches(player &me, client &over_it)
{
    const std::shared_ptr<client> other = me.all.any(me.dice);
    if (other == nullptr)
        return;
    std::unique_ptr<ipc::rpc::batch> one(new ipc::rpc::batch(over_it.batch())), two(new ipc::rpc::batch(other->batch()));
    check(over_it.try_notify(contract::note, blob("one")), "a note");
    auto call = other->call_async(contract::echo, blob("batched"), 100ms);
    if (me.dice() % 2 == 0)
        one.swap(two);
    one.reset();
    call.ready();
    if (me.dice() % 2 == 0)
        two.reset();
    Blob response;
    check(call.try_get(response), "a batched call");
}

void play(player &me)
{
    while (!over) {
        const std::shared_ptr<client> mine = me.all.any(me.dice);
        if (mine == nullptr)
            continue; // no server; the next try waits for one
        try {
            std::shared_ptr<canceller> cancel;
            Blob response;
            switch (me.dice() % 12) {
            case 0:
            case 1:
                check(mine->try_call(contract::echo, blob("plain"), response, me.options(cancel)), "a call");
                break;
            case 2:
                check(mine->try_call(waits, Blob(), response, std::chrono::microseconds(me.dice() % 20'000)), "a wait");
                break;
            case 3:
            case 4:
            case 5:
                for (unsigned i = me.dice() % 20; i > 0; --i)
                    asynchronous(me, mine);
                break;
            case 6:
                progress(me, mine);
                break;
            case 7:
                both_ways(me, *mine);
                break;
            case 8:
                streams(me, *mine);
                break;
            case 9:
                batches(me, *mine);
                break;
            case 10: {
                const outcome result = mine->try_call(contract::relay, counting(3), response, me.options(cancel));
                if (result.code != status::unimplemented) // it offers nothing
                    check(result, "callbacks");
                break;
            }
            default:
                if (me.dice() % 20 == 0) {
                    me.all.drop(mine.get());
                    if (me.dice() % 2 == 0)
                        mine->close();
                } else {
                    auto left = mine->call_async(waits, Blob()); // destroyed: cancelled
                }
            }
        } catch (const ipc::error &closed) { // by another thread
            require(closed.code() == IPC_CLOSED, closed.what());
            me.all.drop(mine.get());
        }
    }
}

void trigger(std::vector<std::unique_ptr<player>> &players)
{
    while (!over) {
        for (auto &each : players) {
            std::vector<std::shared_ptr<canceller>> taken;
            {
                const std::lock_guard held(each->mutex);
                taken.swap(each->thrown);
            }
            for (const auto &cancel : taken)
                cancel->trigger();
        }
        std::this_thread::yield();
    }
}

void serve(unsigned seed)
{
    std::mt19937 dice(seed);
    while (!over) {
        ipc::rpc::server at("stress");
        contract::serve(at);
        at.unary(waits, [](const Blob &request, Blob &response, ipc::rpc::call_context &context) {
            context.wait(5ms);
            response = request;
        });
        at.start();
        const ipc::deadline until = std::chrono::milliseconds(50 + dice() % 500);
        while (!over && !until.has_passed())
            std::this_thread::sleep_for(5ms); // how long a server lives, no synchronisation
        at.stop();
    }
}

} // namespace

PROGRAM(rpc_client_stress)
{
    long seconds = 5;
    unsigned seed = std::random_device()();
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--seconds") == 0)
            seconds = std::atol(argv[i + 1]);
        else if (std::strcmp(argv[i], "--seed") == 0)
            seed = static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
    }
    std::printf("seed %u\n", seed); // first of all
    std::fflush(stdout);
    std::string folder = std::string(getenv("IPC_DIR") != nullptr ? getenv("IPC_DIR") : "/dev/shm") + "/stress.XXXXXX";
    if (mkdtemp(folder.data()) == nullptr)
        return 2;
    setenv("IPC_DIR", folder.c_str(), 1);
    alarm(static_cast<unsigned>(seconds + 300)); // a watchdog: SIGALRM ends what hangs

    clients all;
    std::thread server(serve, seed);
    std::vector<std::unique_ptr<player>> players;
    for (unsigned i = 1; i <= 4; ++i)
        players.push_back(std::make_unique<player>(all, seed + i));
    std::vector<std::thread> threads;
    for (auto &each : players)
        threads.emplace_back([&each] { play(*each); });
    threads.emplace_back([&players] { trigger(players); });
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    while (done == 0) // a machine that had no time for us
        std::this_thread::sleep_for(1ms);
    over = true;
    const auto tell = [](const char *what) { // where one that hangs does
        std::puts(what);
        std::fflush(stdout);
    };
    for (std::thread &each : threads)
        each.join();
    tell("the players have ended");
    all.clear();
    tell("the clients are closed");
    server.join();
    tell("the server has ended");
    while (ended != begun) // completions that closed their client, or destroyed it, are told by its own thread
        std::this_thread::sleep_for(1ms);
    tell("all completions have run");
    while (rmdir(folder.c_str()) != 0) // and so it cleans up
        std::this_thread::sleep_for(1ms);
    std::printf("%llu calls went well, %llu completions, %llu reports closed their client\n",
                static_cast<unsigned long long>(done), static_cast<unsigned long long>(ended),
                static_cast<unsigned long long>(reports_closed));
    return 0;
}

} // namespace rpc_client_stress
