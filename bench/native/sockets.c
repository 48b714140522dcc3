/*
 * sockets.c - Unix sockets that poll, for the rows that spin: a side that sleeps is no rival for one that does not.
 *
 *   uds.spin.64         us    64 B there and back; both ends ask again and again (MSG_DONTWAIT), neither sleeps
 *   uds.spin.1m         us    the same with 1 MB: all of it is there before it goes back
 *   uds.spin.64.many    M/s   64 B there and back, 64 under way; one send each, the answers in one for what is there
 *   uds.oneway.spin.64  M/s   64 B one way, one send each; the receiver takes what is there
 */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { SMALL = 64, BLOCK = 65536, MEGABYTE = 1 << 20, UNDER_WAY = 64 };

/* Made before the fork: both processes have both ends, and each uses its own. */
static int ends[2];

static void send_all(int end, const unsigned char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t sent = send(end, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
        } else if (errno != EAGAIN && errno != EINTR) {
            bench_fail("send", strerror(errno));
        }
    }
}

static size_t receive_some(int end, unsigned char *bytes, size_t length)
{
    for (;;) {
        const ssize_t got = recv(end, bytes, length, MSG_DONTWAIT);
        if (got > 0)
            return (size_t)got;
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            bench_fail("recv", got == 0 ? "the other end is closed" : strerror(errno));
    }
}

static void receive_all(int end, unsigned char *bytes, size_t length)
{
    while (length > 0) {
        const size_t got = receive_some(end, bytes, length);
        bytes += got;
        length -= got;
    }
}

static unsigned char large[MEGABYTE];

static double echo_of(size_t length, uint64_t count)
{
    uint64_t began = 0;
    for (uint64_t i = 0; i <= count; i++) { /* the first finds the answerer asleep: not counted */
        if (i == 1)
            began = bench_now();
        send_all(ends[0], large, length);
        receive_all(ends[0], large, length);
        bench_done();
    }
    return (double)(bench_now() - began) / (double)count / 1000.0;
}

static void answer_of(size_t length, uint64_t count)
{
    for (uint64_t i = 0; i <= count; i++) {
        receive_all(ends[1], large, length);
        send_all(ends[1], large, length);
    }
}

static double echo_measure(void *unused, uint64_t count)
{
    (void)unused;
    return echo_of(SMALL, count);
}

static void echo_answer(void *unused, uint64_t count)
{
    (void)unused;
    answer_of(SMALL, count);
}

static double echo_1m_measure(void *unused, uint64_t count)
{
    (void)unused;
    return echo_of(MEGABYTE, count);
}

static void echo_1m_answer(void *unused, uint64_t count)
{
    (void)unused;
    answer_of(MEGABYTE, count);
}

static double many_measure(void *unused, uint64_t count)
{
    (void)unused;
    static unsigned char bytes[SMALL * UNDER_WAY];
    const uint64_t began = bench_now(), all = count * SMALL;
    for (uint64_t sent = 0, back = 0; back < all;) {
        for (; sent < all && sent - back <= (UNDER_WAY - 1) * SMALL; sent += SMALL)
            send_all(ends[0], bytes, SMALL);
        back += receive_some(ends[0], bytes, sizeof bytes);
    }
    return 1000.0 * (double)count / (double)(bench_now() - began);
}

static void many_answer(void *unused, uint64_t count)
{
    (void)unused;
    static unsigned char bytes[SMALL * UNDER_WAY];
    for (uint64_t left = count * SMALL; left > 0;) {
        const size_t got = receive_some(ends[1], bytes, sizeof bytes);
        send_all(ends[1], bytes, got);
        left -= got;
    }
}

static double oneway_measure(void *unused, uint64_t count)
{
    (void)unused;
    unsigned char bytes[SMALL] = {7};
    const uint64_t began = bench_now();
    for (uint64_t i = 0; i < count; i++)
        send_all(ends[0], bytes, sizeof bytes);
    receive_all(ends[0], bytes, 1); /* all has been read */
    return 1000.0 * (double)count / (double)(bench_now() - began);
}

static void oneway_answer(void *unused, uint64_t count)
{
    (void)unused;
    static unsigned char bytes[BLOCK];
    for (uint64_t left = count * SMALL; left > 0;)
        left -= receive_some(ends[1], bytes, left < sizeof bytes ? (size_t)left : sizeof bytes);
    send_all(ends[1], bytes, 1);
}

static const bench_figure figures[] = {
    {.name = "uds.spin.64", .count = 10000, .measure = echo_measure, .answer = echo_answer},
    {.name = "uds.spin.1m", .count = 100, .measure = echo_1m_measure, .answer = echo_1m_answer},
    {.name = "uds.spin.64.many", .count = 60000, .measure = many_measure, .answer = many_answer},
    {.name = "uds.oneway.spin.64", .count = 60000, .measure = oneway_measure, .answer = oneway_answer},
};

int main(int argc, char **argv)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        bench_fail("socketpair", strerror(errno));
    return bench_main(argc, argv, figures, sizeof figures / sizeof figures[0]);
}
