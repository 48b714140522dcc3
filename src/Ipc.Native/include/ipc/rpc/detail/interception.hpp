// The interceptors of a server, as a handler sees them.
#ifndef IPC_RPC_DETAIL_INTERCEPTION_HPP
#define IPC_RPC_DETAIL_INTERCEPTION_HPP

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../call_context.hpp"
#include "../observer.hpp"
#include "../server_interceptor.hpp"
#include "../status.hpp"
#include "guarded.hpp"

namespace ipc::rpc::detail
{

class interception
{
  public:
    // Null when there are none: then a call costs a comparison.
    static std::shared_ptr<const interception> of(const std::vector<std::shared_ptr<server_interceptor>> &all)
    {
        return all.empty() ? nullptr : std::make_shared<const interception>(all);
    }

    explicit interception(std::vector<std::shared_ptr<server_interceptor>> all) : all_(std::move(all))
    {
    }

    // Runs HANDLER unless one of them refuses.
    template <class Handler> outcome run(call_context &context, const call_info &call, Handler &&handler) const
    {
        outcome result;
        for (const auto &each : all_) {
            result = guarded([&] { return each->starting(context, call); });
            if (!result)
                return map(context, call, std::move(result));
        }
        result = guarded(std::forward<Handler>(handler));
        return result ? std::move(result) : map(context, call, std::move(result));
    }

    void completed(call_context &context, const call_info &call, const outcome &result, observer *told) const noexcept
    {
        for (auto each = all_.rbegin(); each != all_.rend(); ++each) {
            const outcome thrown = guarded([&] { (*each)->completed(context, call, result); });
            if (!thrown)
                report_thrown(told, call, thrown);
        }
    }

  private:
    outcome map(call_context &context, const call_info &call, outcome failed) const
    {
        for (const auto &each : all_) {
            std::optional<outcome> mapped;
            outcome asked = guarded([&] { mapped = each->map(context, call, failed); });
            if (!asked)
                return asked;
            if (mapped)
                return std::move(*mapped);
        }
        return failed;
    }

    const std::vector<std::shared_ptr<server_interceptor>> all_;
};

} // namespace ipc::rpc::detail
#endif
