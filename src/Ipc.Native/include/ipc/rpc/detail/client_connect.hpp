// How a client gets its connection, and how it says why it lost it.
#ifndef IPC_RPC_DETAIL_CLIENT_CONNECT_HPP
#define IPC_RPC_DETAIL_CLIENT_CONNECT_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "../../../ipc.hpp"
#include "../client_options.hpp"
#include "../status.hpp"
#include "following.hpp"

namespace ipc::rpc::detail
{

// Who has so little time waits for a server; who has more learns at once that there is none, and may ask again.
inline bool is_hurried(deadline until) noexcept
{
    return until.at() < ipc_deadline_after(5'000'000'000u);
}

// Nanoseconds, before a call that no server has handled is made again for that time. The first successor is there
// when it can be reached; who refuses more often is asked ever more seldom.
inline uint64_t pause_before(unsigned times) noexcept
{
    return times < 2 ? 0 : std::min<uint64_t>(100'000'000, uint64_t{5'000'000} << std::min(times - 2, 5u));
}

// The server NAME for errors. PID 0: there is no connection.
inline std::string server_of(const std::string &name, int32_t pid)
{
    return "the server \"" + name + "\"" + (pid == 0 ? "" : " (process " + std::to_string(pid) + ")");
}

// WORDS at the beginning of a sentence.
inline std::string first_word(std::string words)
{
    if (!words.empty() && words[0] >= 'a' && words[0] <= 'z')
        words[0] = static_cast<char>(words[0] - 'a' + 'A');
    return words;
}

inline outcome open_connection(const std::string &name, const client_options &options, ipc_deadline until,
                               ipc_cancel *cancel, connection &made)
{
    ipc_connect_options how{};
    how.to_server_capacity = options.to_server_capacity;
    how.to_client_capacity = options.to_client_capacity;
    how.loan_budget = options.loan_budget;
    how.access = &options.access;
    how.protocol = rpc_protocol;
    how.wait_mode = options.wait;
    how.deadline = until;
    how.cancel = cancel;
    how.hello = options.hello.data();
    how.hello_length = static_cast<uint32_t>(options.hello.size());
    const ipc::status code = connection::try_connect(name, how, made);
    if (code == IPC_OK)
        return {};
    if (code == IPC_E_REFUSED)
        return {status::unauthenticated,
                first_word(server_of(name, 0)) + " refused the connection: " + ipc_last_error()};
    if (code == IPC_E_WRONG_KIND || code == IPC_E_WRONG_VERSION) // not mended by waiting
        return {status::failed_precondition,
                "No connection to " + server_of(name, 0) + ": " + ipc_status_name(code) + ", " + ipc_last_error()};
    if (code == IPC_E_NOT_FOUND && until == IPC_NOW)
        return {status::unavailable, "There is no server \"" + name +
                                         "\" now, and a call does not wait for one to appear; connecting does."};
    return {status::unavailable,
            "No connection to " + server_of(name, 0) + ": " + ipc_status_name(code) + ", " + ipc_last_error()};
}

// CODE is why the ring of LOST cannot be used any more. On the thread that got CODE.
inline outcome why_lost(const std::string &name, const connection &lost, ipc::status code)
{
    const std::string server = server_of(name, lost.peer_pid());
    outcome why(code == IPC_E_CORRUPT ? status::data_loss : status::unavailable);
    why.at = std::make_shared<const call_place>(call_place{{}, server});
    if (code == IPC_PEER_DIED)
        why.text = first_word(server) + " died.";
    else if (code == IPC_E_CORRUPT)
        why.text = "What " + server + " wrote is not a ring, and the connection was closed: " + ipc_last_error();
    else if (code != IPC_PEER_CLOSED)
        why.text = "The connection to " + server + " ended: " + ipc_status_name(code) + ".";
    else if (const std::string text = lost.close_text(); text.empty())
        why.text = first_word(server) + " closed the connection.";
    else
        why.text = first_word(server) + " closed the connection: " + text;
    return why;
}

// What WHY, for which a connection ended, means for a call that was pending.
inline outcome of_pending(outcome why)
{
    if (why.code == status::unavailable)
        why.text += " Whether the server handled the call is not known.";
    return why;
}

} // namespace ipc::rpc::detail
#endif
