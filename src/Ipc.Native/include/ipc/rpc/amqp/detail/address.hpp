// amqp://USER:PASSWORD@HOST:PORT,HOST:PORT/VHOST/SERVICE, as the C# side reads it.
#ifndef IPC_RPC_AMQP_DETAIL_ADDRESS_HPP
#define IPC_RPC_AMQP_DETAIL_ADDRESS_HPP

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../status.hpp"

namespace ipc::rpc::amqp::detail
{

struct node {
    std::string host;
    int port = 0;
};

class address
{
  public:
    bool tls = false;
    std::vector<node> nodes; // those that a connection may go to
    std::string user = "guest", password = "guest", virtual_host = "/", service;

    std::string work_queue() const
    {
        return "ipc." + service;
    }

    std::string dead_queue() const
    {
        return work_queue() + ".dead";
    }

    std::string cancel_exchange() const
    {
        return work_queue() + ".cancel";
    }

    // For texts: without the password.
    std::string broker() const
    {
        std::string named;
        for (const node &each : nodes)
            named += (named.empty() ? "" : " or ") + each.host + ":" + std::to_string(each.port);
        return "the broker " + named + ", virtual host \"" + virtual_host + "\", user \"" + user + "\"";
    }

    std::string peer() const
    {
        return "the service \"" + service + "\" at " + broker();
    }

    // Invalid_argument, with a text that does not repeat the password, when TEXT is no such address.
    static outcome parse(std::string_view text, address &into)
    {
        into = {};
        if (take(text, "amqps://"))
            into.tls = true;
        else if (!take(text, "amqp://"))
            return wrong("it does not begin with amqp:// or amqps://");
        if (text.find_first_of("?#") != std::string_view::npos)
            return wrong("it has a query or a fragment");
        const size_t slash = text.find('/');
        if (slash == std::string_view::npos)
            return wrong("it names no service");
        std::string_view authority = text.substr(0, slash);
        std::string_view path = text.substr(slash + 1);
        if (path.find('@') != std::string_view::npos) // may be the rest of a password
            return wrong("its path has an @. A slash in a password is written as %2F");
        if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
            const std::string_view login = authority.substr(0, at);
            authority = authority.substr(at + 1);
            const size_t colon = login.find(':');
            into.user = unescaped(login.substr(0, colon));
            into.password = colon == std::string_view::npos ? std::string() : unescaped(login.substr(colon + 1));
        }
        for (;;) {
            const size_t comma = authority.find(',');
            node one;
            if (!parse_node(authority.substr(0, comma), into.tls, one))
                return wrong("one of its hosts is none. Several, with their ports, are separated by commas");
            into.nodes.push_back(std::move(one));
            if (comma == std::string_view::npos)
                break;
            authority = authority.substr(comma + 1);
        }
        if (const size_t second = path.find('/'); second != std::string_view::npos) {
            into.virtual_host = unescaped(path.substr(0, second));
            path = path.substr(second + 1);
            if (path.find('/') != std::string_view::npos)
                return wrong("its path has more than two parts. A slash in the name of a virtual host is written as "
                             "%2F");
        }
        into.service = unescaped(path);
        if (!is_name(into.service))
            return wrong("the name of its service is not 1 to 120 of A-Z a-z 0-9 . _ -");
        return {};
    }

  private:
    static outcome wrong(const char *why)
    {
        return {status::invalid_argument, "The address of a service at a broker is "
                                          "amqp://USER:PASSWORD@HOST:PORT/VHOST/SERVICE; in this one, " +
                                              std::string(why) + "."};
    }

    static bool take(std::string_view &text, std::string_view beginning) noexcept
    {
        if (text.substr(0, beginning.size()) != beginning)
            return false;
        text.remove_prefix(beginning.size());
        return true;
    }

    static bool parse_node(std::string_view text, bool tls, node &into)
    {
        const size_t closing = text.rfind(']'); // of an address of IP 6
        const size_t colon = text.find(':', closing == std::string_view::npos ? 0 : closing);
        into.host = std::string(text.substr(0, colon));
        if (closing != std::string_view::npos && into.host.size() > 2 && into.host.front() == '[')
            into.host = into.host.substr(1, closing - 1);
        into.port = tls ? 5671 : 5672;
        if (colon != std::string_view::npos) {
            const std::string number(text.substr(colon + 1));
            char *end = nullptr;
            const long port = std::strtol(number.c_str(), &end, 10);
            if (number.empty() || *end != '\0' || port < 1 || port > 65535)
                return false;
            into.port = static_cast<int>(port);
        }
        return !into.host.empty();
    }

    static std::string unescaped(std::string_view text)
    {
        const auto digit = [](char c) {
            return c >= '0' && c <= '9'   ? c - '0'
                   : c >= 'a' && c <= 'f' ? c - 'a' + 10
                   : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                          : -1;
        };
        std::string out;
        for (size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
                out.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
                i += 2;
            } else {
                out.push_back(text[i]);
            }
        }
        return out;
    }

    static bool is_name(const std::string &name) noexcept
    {
        for (const char c : name)
            if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '.' && c != '_' &&
                c != '-')
                return false;
        return !name.empty() && name.size() <= 120;
    }
};

} // namespace ipc::rpc::amqp::detail
#endif
