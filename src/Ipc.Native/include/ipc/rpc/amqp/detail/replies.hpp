// Those whom answers go to, and who may not be there any more.
//
// An answer to a client whose node has died: a broker of several nodes (RabbitMQ 3.10) cannot make sense of such an
// address, and ends the whole connection of whoever sends there, with 541. The request comes again, and the next answer
// does the same, to all servers, until it is poison. So who had an answer on its way when that happened is looked after
// before it gets another one, on a connection that may end for it (Replies.cs of the C# side). While that cannot be
// found out, server_core holds the answer back, and does not acknowledge its request.
#ifndef IPC_RPC_AMQP_DETAIL_REPLIES_HPP
#define IPC_RPC_AMQP_DETAIL_REPLIES_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "../options.hpp"
#include "address.hpp"
#include "link.hpp"

namespace ipc::rpc::amqp::detail
{

enum class presence { there, gone, unknown };

// Of the connector's thread.
class replies
{
  public:
    // Whether somebody gets the answer that is about to be sent to TO. Unknown: ask again later; to ask the broker
    // takes time, and it is not asked again before the longest pause between connections is over.
    presence look_for(const std::string &to, const address &broker, const options &with)
    {
        const clock::time_point now = clock::now();
        const auto suspect = suspects_.find(to);
        if (suspect == suspects_.end()) {
            recent_[next_++ % recent_.size()] = {to, now + std::chrono::seconds(2)};
            return presence::there;
        }
        if (now < suspect->second)
            return presence::gone;
        if (now < next_question_)
            return presence::unknown;
        const presence is = ask(to, broker, with);
        if (is == presence::there)
            suspects_.erase(suspect);
        else if (is == presence::gone)
            suspect->second = now + std::chrono::seconds(600);
        else
            next_question_ = clock::now() + with.longest_pause;
        return is;
    }

    // A connection has ended, with the broker's CODE.
    void ended(uint16_t code)
    {
        constexpr size_t most = 10'000;
        if (code != AMQP_INTERNAL_ERROR)
            return;
        if (suspects_.size() > most) // whoever has gone is found out anew
            suspects_.clear();
        const clock::time_point now = clock::now();
        for (auto &[to, until] : recent_)
            if (!to.empty() && now < until)
                suspects_.emplace(std::exchange(to, {}), now);
    }

  private:
    using clock = std::chrono::steady_clock;

    static presence ask(const std::string &to, const address &broker, const options &with)
    {
        options brief = with;
        brief.connect_timeout = std::min<link::duration>(with.connect_timeout, std::chrono::seconds(1));
        for (const node &each : broker.nodes) {
            link own;
            if (!own.open(broker, each, brief, "look after a client of", brief.connect_timeout))
                continue;
            int64_t unused = 0;
            const bool said = own.count_consumers(1, to, unused);
            const presence is = said                                ? unused < 0 ? presence::gone : presence::there
                                : own.code() == AMQP_INTERNAL_ERROR ? presence::gone
                                                                    : presence::unknown;
            own.close();
            return is;
        }
        return presence::unknown;
    }

    std::array<std::pair<std::string, clock::time_point>, 64> recent_;
    size_t next_ = 0;
    // Until when one is known to have gone; that has passed for those that are only suspected.
    std::unordered_map<std::string, clock::time_point> suspects_;
    clock::time_point next_question_;
};

} // namespace ipc::rpc::amqp::detail
#endif
