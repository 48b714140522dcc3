// rival.cpp - queue.8.1-1 as other libraries do it; only those that are installed are built in.
//
//   rival.boostmq.8.1-1  ns   boost::interprocess::message_queue, 1024 messages
//   rival.zeromq.8.1-1   ns   ZeroMQ PUSH/PULL over ipc://
//   rival.zeromq.pubsub.8.1-1   ns   ZeroMQ PUB/SUB over ipc://, without a limit to what waits
//   rival.nng.8.1-1      ns   nng push/pull over ipc://
//   rival.*.spin         ns   the same, and the receiver does not sleep: it asks again and again (try_receive,
//                             ZMQ_DONTWAIT, NNG_FLAG_NONBLOCK)
#include "rival.hpp"

namespace
{

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

using opening = channel *(const std::string &name, int side, rival::waiting how);

template <opening *Open, rival::waiting How> void *open_channel(void *, int side)
{
    return Open(bench_name(), side, How);
}

template <opening *Open> constexpr auto sleeping = open_channel<Open, rival::waiting::sleeps>;
template <opening *Open> constexpr auto polling = open_channel<Open, rival::waiting::polls>;

} // namespace

int main(int argc, char **argv)
{
    const bench_figure figures[] = {
#ifdef HAVE_BOOST
        figure("rival.boostmq.8.1-1", sleeping<rival::open_boost>),
        figure("rival.boostmq.8.1-1.spin", polling<rival::open_boost>),
#endif
#ifdef HAVE_ZEROMQ
        figure("rival.zeromq.8.1-1", sleeping<rival::open_zeromq>),
        figure("rival.zeromq.8.1-1.spin", polling<rival::open_zeromq>),
        figure("rival.zeromq.pubsub.8.1-1", sleeping<rival::open_zeromq_topic>),
        figure("rival.zeromq.pubsub.8.1-1.spin", polling<rival::open_zeromq_topic>),
#endif
#ifdef HAVE_NNG
        figure("rival.nng.8.1-1", sleeping<rival::open_nng>),
        figure("rival.nng.8.1-1.spin", polling<rival::open_nng>),
#endif
        figure("none", nullptr),
    };
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0] - 1);
}
