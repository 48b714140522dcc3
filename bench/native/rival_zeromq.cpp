#include "rival.hpp"

#include <zmq.h>

namespace {

class zeromq_channel : public rival::channel {
public:
    zeromq_channel(const std::string &name, int side)
        : context_(zmq_ctx_new()), to_(zmq_socket(context_, side == 0 ? ZMQ_PUSH : ZMQ_PULL)),
          back_(zmq_socket(context_, side == 0 ? ZMQ_PULL : ZMQ_PUSH))
    {
        attach(to_, "ipc:///tmp/" + name + "-to", side == 0);
        attach(back_, "ipc:///tmp/" + name + "-back", side == 0);
    }
    ~zeromq_channel() override
    {
        zmq_close(to_);
        zmq_close(back_);
        zmq_ctx_destroy(context_);
    }
    void send(std::uint64_t value) override { check(zmq_send(to_, &value, sizeof value, 0), "zmq_send"); }
    std::uint64_t receive() override { return take(to_); }
    void send_back() override
    {
        const std::uint64_t value = 1;
        check(zmq_send(back_, &value, sizeof value, 0), "zmq_send");
    }
    void receive_back() override { take(back_); }

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
    static std::uint64_t take(void *socket)
    {
        std::uint64_t value = 0;
        check(zmq_recv(socket, &value, sizeof value, 0), "zmq_recv");
        return value;
    }

    void *context_, *to_, *back_;
};

} // namespace

rival::channel *rival::open_zeromq(const std::string &name, int side)
{
    return new zeromq_channel(name, side);
}
