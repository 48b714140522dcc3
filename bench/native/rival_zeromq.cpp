#include "rival.hpp"

#include <cerrno>

#include <zmq.h>

namespace
{

// The library's own threads belong on any core: a pair of sockets whose threads share one core with who uses them would
// be a weak rival.
class zeromq_channel : public rival::channel
{
  public:
    zeromq_channel(const std::string &name, int side, int sends, int receives, rival::waiting how)
        : flags_(how == rival::waiting::polls ? ZMQ_DONTWAIT : 0), context_(zmq_ctx_new()),
          to_(zmq_socket(context_, side == 0 ? sends : receives)),
          back_(zmq_socket(context_, side == 0 ? ZMQ_PULL : ZMQ_PUSH))
    {
        const int none = 0;
        if (sends == ZMQ_PUB) { // as many as there are: nothing is dropped, which a topic does not do either
            check(zmq_setsockopt(to_, ZMQ_SNDHWM, &none, sizeof none), "ZMQ_SNDHWM");
            check(zmq_setsockopt(to_, ZMQ_RCVHWM, &none, sizeof none), "ZMQ_RCVHWM");
            if (side != 0)
                check(zmq_setsockopt(to_, ZMQ_SUBSCRIBE, "", 0), "ZMQ_SUBSCRIBE");
        }
        attach(to_, "ipc:///tmp/" + name + "-to", side == 0);
        attach(back_, "ipc:///tmp/" + name + "-back", side == 0);
        if (sends == ZMQ_PUB)
            meet(side);
    }
    ~zeromq_channel() override
    {
        zmq_close(to_);
        zmq_close(back_);
        zmq_ctx_destroy(context_);
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
        if (result < 0)
            rival::fail(what, zmq_strerror(zmq_errno()));
    }
    static void attach(void *socket, const std::string &address, bool binds)
    {
        check(binds ? zmq_bind(socket, address.c_str()) : zmq_connect(socket, address.c_str()), "zmq_bind/connect");
    }
    // Not there yet, and this end polls.
    bool again(int result, const char *what) const
    {
        if (result >= 0 || flags_ == 0 || zmq_errno() != EAGAIN) {
            check(result, what);
            return false;
        }
        rival::let_others_run();
        return true;
    }
    // A sender that polled for room would take the core of the thread that makes it.
    static void put(void *socket, std::uint64_t value)
    {
        check(zmq_send(socket, &value, sizeof value, 0), "zmq_send");
    }
    std::uint64_t take(void *socket) const
    {
        std::uint64_t value = 0;
        while (again(zmq_recv(socket, &value, sizeof value, flags_), "zmq_recv")) {
        }
        return value;
    }

    // What is published before the subscription has arrived is lost: zeros until the subscriber says that it has one.
    void meet(int side)
    {
        if (side != 0) {
            take(to_);
            send_back();
            while (take(to_) != 1) {
            }
            return;
        }
        std::uint64_t word = 0;
        while (zmq_recv(back_, &word, sizeof word, ZMQ_DONTWAIT) < 0)
            send(0);
        send(1);
    }

    int flags_;
    void *context_, *to_, *back_;
};

} // namespace

rival::channel *rival::open_zeromq(const std::string &name, int side, waiting how)
{
    return new zeromq_channel(name, side, ZMQ_PUSH, ZMQ_PULL, how);
}

rival::channel *rival::open_zeromq_topic(const std::string &name, int side, waiting how)
{
    return new zeromq_channel(name, side, ZMQ_PUB, ZMQ_SUB, how);
}
