// rival.cpp - queue.8.1-1 as other libraries do it; only those that are installed are built in.
//
//   rival.boostmq.8.1-1  ns   boost::interprocess::message_queue, 1024 messages
//   rival.zeromq.8.1-1   ns   ZeroMQ PUSH/PULL over ipc://
//   rival.zeromq.pubsub.8.1-1   ns   ZeroMQ PUB/SUB over ipc://, without a limit to what waits
//   rival.nng.8.1-1      ns   nng push/pull over ipc://
#include "rival.hpp"

namespace {

using rival::channel;

double measure(void *opened, std::uint64_t count)
{
    auto *c = static_cast<channel *>(opened);
    const std::uint64_t began = bench_now();
    for (std::uint64_t i = 1; i <= count; i++)
        c->send(i);
    c->receive_back();
    return static_cast<double>(bench_now() - began) / static_cast<double>(count);
}

void answer(void *opened, std::uint64_t count)
{
    auto *c = static_cast<channel *>(opened);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count; i++)
        sum += c->receive();
    if (sum != count * (count + 1) / 2)
        bench_fail("rival", "the values do not add up");
    c->send_back();
}

void close_channel(void *opened, int)
{
    delete static_cast<channel *>(opened);
}

constexpr std::uint64_t messages = 100000;

bench_figure figure(const char *name, void *(*open)(void *, int))
{
    return bench_figure{name, messages, 0, open, measure, answer, close_channel, 1};
}

} // namespace

int main(int argc, char **argv)
{
    const bench_figure figures[] = {
#ifdef HAVE_BOOST
        figure("rival.boostmq.8.1-1", [](void *, int side) -> void * { return rival::open_boost(bench_name(), side); }),
#endif
#ifdef HAVE_ZEROMQ
        figure("rival.zeromq.8.1-1", [](void *, int side) -> void * { return rival::open_zeromq(bench_name(), side); }),
        figure("rival.zeromq.pubsub.8.1-1",
               [](void *, int side) -> void * { return rival::open_zeromq_topic(bench_name(), side); }),
#endif
#ifdef HAVE_NNG
        figure("rival.nng.8.1-1", [](void *, int side) -> void * { return rival::open_nng(bench_name(), side); }),
#endif
        figure("none", nullptr),
    };
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0] - 1);
}
