#include "rival.hpp"

#include <boost/interprocess/ipc/message_queue.hpp>

namespace
{

namespace bip = boost::interprocess;

class boost_channel : public rival::channel
{
  public:
    boost_channel(const std::string &name, int side, rival::waiting how)
        : name_(name), owner_(side == 0), polls_(how == rival::waiting::polls),
          to_(bip::open_or_create, (name + "-to").c_str(), 1024, 8),
          back_(bip::open_or_create, (name + "-back").c_str(), 4, 8)
    {
    }
    ~boost_channel() override
    {
        if (owner_) {
            bip::message_queue::remove((name_ + "-to").c_str());
            bip::message_queue::remove((name_ + "-back").c_str());
        }
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
    static void put(bip::message_queue &queue, std::uint64_t value)
    {
        queue.send(&value, sizeof value, 0);
    }
    std::uint64_t take(bip::message_queue &queue) const
    {
        std::uint64_t value = 0;
        bip::message_queue::size_type size = 0;
        unsigned priority = 0;
        if (!polls_)
            queue.receive(&value, sizeof value, size, priority);
        while (polls_ && !queue.try_receive(&value, sizeof value, size, priority))
            rival::let_others_run();
        return value;
    }

    std::string name_;
    bool owner_, polls_;
    bip::message_queue to_, back_;
};

} // namespace

rival::channel *rival::open_boost(const std::string &name, int side, waiting how)
{
    return new boost_channel(name, side, how);
}
