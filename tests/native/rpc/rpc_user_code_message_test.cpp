// On which threads messages are written and read, seen by one that is no generated code: docs/guide/user-code.md, the
// last rows of "C++ server" and "C++ client".
#include <algorithm>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rpc_serving.hpp"

namespace rpc_user_code_message_test
{

using ipc::rpc::call_context;
using ipc::rpc::client;
using ipc::rpc::outcome;
using ipc::rpc::server;

namespace
{

using step = std::pair<std::string, std::thread::id>;

std::mutex lock;
std::vector<step> steps;

void note(const char *what)
{
    const std::lock_guard<std::mutex> held(lock);
    steps.emplace_back(what, std::this_thread::get_id());
}

std::vector<step> taken()
{
    const std::lock_guard<std::mutex> held(lock);
    return std::exchange(steps, {});
}

// A blob that says when it is written and read.
class spy final : public google::protobuf::MessageLite
{
public:
    spy() = default;

    spy(const spy &other)
        : google::protobuf::MessageLite(), inner_(other.inner_)
    {
    }

    spy &operator=(const spy &other)
    {
        if (this != &other)
            inner_ = other.inner_;
        return *this;
    }

    ~spy() override = default;

    std::string GetTypeName() const override
    {
        return "spy";
    }

    google::protobuf::MessageLite *New(google::protobuf::Arena *) const override
    {
        return new spy();
    }

    void Clear() override
    {
        inner_.Clear();
    }

    bool IsInitialized() const override
    {
        return true;
    }

    void CheckTypeAndMergeFrom(const google::protobuf::MessageLite &other) override
    {
        inner_.MergeFrom(static_cast<const spy &>(other).inner_);
    }

    size_t ByteSizeLong() const override
    {
        note("measured");
        return inner_.ByteSizeLong();
    }

    int GetCachedSize() const override
    {
        return inner_.GetCachedSize();
    }

    const char *_InternalParse(const char *at, google::protobuf::internal::ParseContext *context) override
    {
        note("read");
        return inner_._InternalParse(at, context);
    }

    uint8_t *_InternalSerialize(uint8_t *place, google::protobuf::io::EpsCopyOutputStream *stream) const override
    {
        note("written");
        return inner_._InternalSerialize(place, stream);
    }

    void set(const std::string &data)
    {
        inner_.set_data(data);
    }

    std::string data() const
    {
        return inner_.data();
    }

private:
    contract::Blob inner_;
};

constexpr ipc::rpc::method<spy, spy> spied{"tests.v1", "Spied"};

serving spying(std::thread::id &handler)
{
    return serving([&handler](server &at) {
        at.unary(spied, [&handler](const spy &request, spy &response, call_context &) {
            handler = std::this_thread::get_id();
            response.set(request.data() + "!");
        });
    });
}

bool has(const std::vector<step> &all, const char *what, std::thread::id where)
{
    return std::find(all.begin(), all.end(), step(what, where)) != all.end();
}

} // namespace

TEST(WhoCallsWritesAndReadsAndSoDoesTheThreadOfTheHandler)
{
    std::thread::id handler;
    const serving here = spying(handler);
    client caller("rpc");
    spy request;
    spy response;
    request.set("hello");
    (void)taken();
    CHECK(caller.try_call(spied, request, response));
    CHECK_EQUAL(response.data(), "hello!");
    const std::vector<step> all = taken();
    for (const std::thread::id where : {std::this_thread::get_id(), handler}) {
        for (const char *what : {"measured", "written", "read"})
            CHECK(has(all, what, where));
    }
    for (const step &each : all)
        CHECK(each.second == std::this_thread::get_id() || each.second == handler);
    CHECK(handler != std::this_thread::get_id());
}

TEST(AnAnswerThatNobodyWaitsForIsReadByTheClientsThread)
{
    std::thread::id handler;
    const serving here = spying(handler);
    client caller("rpc");
    spy request;
    request.set("hello");
    (void)taken();
    check::signal ended;
    std::thread::id completion;
    std::string said;
    caller.call_async(spied, request, [&](const outcome &result, spy &response) {
        CHECK(result);
        said = response.data();
        completion = std::this_thread::get_id();
        ended.set();
    });
    ended.wait();
    CHECK_EQUAL(said, "hello!");
    const std::vector<step> all = taken();
    CHECK(has(all, "written", std::this_thread::get_id()));
    CHECK(has(all, "read", completion));
    CHECK(!has(all, "read", std::this_thread::get_id()));
    CHECK(completion != std::this_thread::get_id() && completion != handler);
}

} // namespace rpc_user_code_message_test
