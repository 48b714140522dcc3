// The methods that one side offers, by their ids.
#ifndef IPC_RPC_DETAIL_METHOD_TABLE_HPP
#define IPC_RPC_DETAIL_METHOD_TABLE_HPP

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../method.hpp"
#include "../status.hpp"
#include "handler.hpp"
#include "listing.hpp"
#include "text.hpp"

namespace ipc::rpc::detail
{

class method_table
{
  public:
    method_table() = default;
    method_table(const method_table &) = delete;
    method_table &operator=(const method_table &) = delete;
    virtual ~method_table() = default;

    // Ok, or why a method could not be added: where there are no exceptions, which would say so at once,
    // server::try_start() and client::try_connect() do.
    const outcome &flaw() const noexcept
    {
        return flaw_;
    }

    // Null when there is no such method.
    handler *find(uint32_t id) const noexcept
    {
        const auto found = handlers_.find(id);
        return found != handlers_.end() ? found->second.get() : id == listing::list.id ? list_.get() : nullptr;
    }

    // By service, then by name. The method that lists them is not among them.
    std::vector<method_info> described() const
    {
        std::vector<method_info> all;
        for (const auto &each : handlers_)
            all.push_back(each.second->described());
        std::sort(all.begin(), all.end(), [](const method_info &one, const method_info &other) {
            return std::tie(one.service, one.name) < std::tie(other.service, other.name);
        });
        return all;
    }

    // For the caller of a method that is not here; its name only the caller knows. WHO is this side.
    outcome unknown(uint32_t id, const std::string &who) const
    {
        constexpr size_t most = 1000;
        const auto [asked, version] = of_another_version(id);
        std::map<std::string, std::set<std::string>> services;
        for (const auto &each : handlers_)
            services[each.second->service()].insert(each.second->name());
        std::string said = who + " has no " + (asked.empty() ? "such method" : asked) +
                           (asked.empty() ? ". It has " : "; it has another version of that service. It has ");
        std::string has = version.empty() ? "" : listed(version, services[version]);
        std::string named = version;
        for (const auto &each : services)
            if (each.first != version) {
                has += (has.empty() ? "" : "; ") + listed(each.first, each.second);
                named += (named.empty() ? "" : ", ") + each.first;
            }
        if (said.size() + has.size() > most)
            has = "methods of the services " + named;
        said = text::cut(said + (has.empty() ? "none at all" : has), most);
        return {status::unimplemented, said + ". Do both sides have the same contract?"};
    }

  protected:
    // Called before a method is added: Ok when it still may be.
    virtual outcome adding() const
    {
        return {};
    }

    void add(std::unique_ptr<handler> made)
    {
        const auto [place, fresh] = handlers_.try_emplace(made->id());
        if (!fresh)
            return refuse({status::invalid_argument, made->full_name() + " and " + place->second->full_name() +
                                                         " have the same id; rename one of them."});
        place->second = std::move(made);
    }

    // What answers listing::list. A method of the user's with its id takes precedence.
    void list_with(std::unique_ptr<handler> made)
    {
        list_ = std::move(made);
    }

    // A mistake in the program.
    void refuse(outcome why)
    {
#ifndef IPC_NO_EXCEPTIONS
        if (why.code == status::invalid_argument)
            throw std::invalid_argument(why.text);
        throw std::logic_error(why.text);
#else
        if (flaw_)
            flaw_ = std::move(why);
#endif
    }

  private:
    // A request carries a hash and no name. But if it is a method that is known here, of another version of its
    // service, that can be found out. Empty: it is not.
    std::pair<std::string, std::string> of_another_version(uint32_t id) const
    {
        constexpr int guessed = 20;
        for (const auto &each : handlers_) {
            const std::string own = each.second->service();
            const std::string stem = own.substr(0, own.rfind(".v"));
            for (int version = 1; version <= guessed; version++) {
                const std::string other = stem + ".v" + std::to_string(version);
                if (method_id(other, each.second->name()) == id)
                    return {other + "/" + each.second->name(), own};
            }
        }
        return {};
    }

    static std::string listed(const std::string &service, const std::set<std::string> &methods)
    {
        std::string all = service + ": ";
        for (const std::string &each : methods)
            all += (&each == &*methods.begin() ? "" : ", ") + each;
        return all;
    }

    std::unordered_map<uint32_t, std::unique_ptr<handler>> handlers_;
    std::unique_ptr<handler> list_;
    outcome flaw_;
};

} // namespace ipc::rpc::detail
#endif
