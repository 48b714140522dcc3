// One writer or many, readers of every temper: the twin of ../CSharp, and they understand each other.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "ipc.hpp"

using namespace std::chrono_literals;

namespace
{

// A price as both languages write it: 16 bytes, little-endian; the symbol is the message's key.
struct price {
    double value;
    int64_t number;
};
static_assert(sizeof(price) == 16, "as in Price.cs");

constexpr uint16_t type_price = 1, type_end = 2; // the key of the end: how many prices its writer wrote
constexpr uint64_t symbols = 8;

int write(const std::string &name, uint64_t count, uint32_t readers)
{
    // snippet: writer
    ipc::topic_writer topic(name);
    ipc::require(topic.wait_for_readers(readers, 30s));
    double prices[symbols] = {};
    std::mt19937 random{std::random_device{}()};
    std::uniform_real_distribution<double> step(-0.5, 0.5);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t symbol = i % symbols;
        const price now = {prices[symbol] += step(random), static_cast<int64_t>(i)};
        ipc::topic_claim claim;
        ipc::require(topic.claim(sizeof now, claim, 10s)); // throws and names the reader that holds it up
        std::memcpy(claim.data(), &now, sizeof now);
        ipc::require(claim.commit(sizeof now, type_price, symbol));
    }
    // end-snippet
    topic.publish("", type_end, count);
    std::cout << "C++ wrote " << count << " prices" << std::endl;
    return 0;
}

void work_for(std::chrono::microseconds time)
{
    const auto began = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - began < time) {
    }
}

int read(const std::string &name, const std::string &policy, std::chrono::microseconds each, uint32_t writers)
{
    static const std::map<std::string, ipc_policy> policies = {
        {"reliable", IPC_RELIABLE}, {"evict", IPC_EVICT}, {"lossy", IPC_LOSSY}, {"latest", IPC_LATEST}};
    uint64_t count = 0, lost = 0, written = 0;
    uint32_t ended = 0;
    bool in_order = true;
    std::map<std::pair<uint32_t, uint64_t>, int64_t> next; // a writer's prices of a symbol come in order
    price last[symbols] = {};

    // snippet: reader
    ipc_topic_options options = {};
    options.policy = policies.at(policy);
    ipc::topic_reader topic(name, options);
    ipc::topic_message message;
    ipc::status status = IPC_OK;
    while (ended < writers && (status = topic.read(message, 30s)) == IPC_OK) {
        lost += message.lost;
        if (message.type == type_end) {
            written += message.key;
            ended++;
        } else if (message.key < symbols && message.length == sizeof(price)) {
            std::memcpy(&last[message.key], message.payload, sizeof(price));
            int64_t &expected = next[{message.writer, message.key}];
            in_order = in_order && last[message.key].number >= expected;
            expected = last[message.key].number + 1;
            count++;
            work_for(each);
        }
        topic.release();
    }
    // end-snippet

    const bool waits = policy == "reliable";
    std::cout << "C++ " << policy << ": read " << count << " of " << written << (policy == "latest" ? ", passed over for newer ones " : ", lost ")
              << lost << (in_order ? "" : ", OUT OF ORDER") << ", last " << last[0].value
              << (status == IPC_OK ? "" : std::string(", ended with ") + ipc_status_name(status)) << std::endl;
    const bool evicted = policy == "evict" && status == IPC_EVICTED;
    return in_order && (evicted || (ended == writers && (!waits || count == written))) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    const auto word = [&](int i, const char *otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
    try {
        if (word(1, "") == "write" && argc >= 4)
            return write(argv[2], std::strtoull(argv[3], nullptr, 10), static_cast<uint32_t>(std::stoul(word(4, "1"))));
        if (word(1, "") == "read" && argc >= 4)
            return read(argv[2], argv[3], std::chrono::microseconds(std::stol(word(4, "0"))), static_cast<uint32_t>(std::stoul(word(5, "1"))));
    } catch (const std::exception &problem) {
        std::cerr << problem.what() << std::endl;
        return 1;
    }
    std::cerr << "usage: ticker write NAME COUNT [READERS] | read NAME reliable|evict|lossy|latest [MICROSECONDS-PER-PRICE [WRITERS]]" << std::endl;
    return 2;
}
