#include "rival.hpp"

#include <nng/nng.h>
#include <nng/protocol/pipeline0/pull.h>
#include <nng/protocol/pipeline0/push.h>

namespace
{

class nng_channel : public rival::channel
{
  public:
    nng_channel(const std::string &name, int side, rival::waiting how)
        : flags_(how == rival::waiting::polls ? NNG_FLAG_NONBLOCK : 0)
    {
        check(side == 0 ? nng_push0_open(&to_) : nng_pull0_open(&to_), "nng_open");
        check(side == 0 ? nng_pull0_open(&back_) : nng_push0_open(&back_), "nng_open");
        attach(to_, "ipc:///tmp/" + name + "-to", side == 0);
        attach(back_, "ipc:///tmp/" + name + "-back", side == 0);
    }
    ~nng_channel() override
    {
        nng_close(to_);
        nng_close(back_);
    }
    void send(std::uint64_t value) override
    {
        put(to_, value);
    }
    std::uint64_t receive() override
    {
        return take(to_);
    }
    void send_back() override
    {
        put(back_, 1);
    }
    void receive_back() override
    {
        take(back_);
    }

  private:
    static void check(int result, const char *what)
    {
        if (result != 0)
            rival::fail(what, nng_strerror(result));
    }
    static void attach(nng_socket socket, const std::string &address, bool listens)
    {
        check(listens ? nng_listen(socket, address.c_str(), nullptr, 0)
                      : nng_dial(socket, address.c_str(), nullptr, NNG_FLAG_NONBLOCK),
              "nng_listen/dial");
    }
    // Not there yet, and this end polls.
    static bool again(int result, const char *what)
    {
        if (result != NNG_EAGAIN) {
            check(result, what);
            return false;
        }
        rival::let_others_run();
        return true;
    }
    // A sender that polled for room would take the core of the thread that makes it.
    static void put(nng_socket socket, std::uint64_t value)
    {
        check(nng_send(socket, &value, sizeof value, 0), "nng_send");
    }
    std::uint64_t take(nng_socket socket) const
    {
        std::uint64_t value = 0;
        std::size_t size = sizeof value;
        while (again(nng_recv(socket, &value, &size, flags_), "nng_recv"))
            size = sizeof value;
        return value;
    }

    int flags_;
    nng_socket to_ = NNG_SOCKET_INITIALIZER, back_ = NNG_SOCKET_INITIALIZER;
};

} // namespace

rival::channel *rival::open_nng(const std::string &name, int side, waiting how)
{
    return new nng_channel(name, side, how);
}
