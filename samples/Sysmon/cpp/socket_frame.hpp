// Four bytes of length, then a message. Both ends of the rival use it.
#ifndef SYSMON_SOCKET_FRAME_HPP
#define SYSMON_SOCKET_FRAME_HPP

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

#include <google/protobuf/message_lite.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace sysmon
{

constexpr uint32_t max_socket_frame = 16u << 20;

inline sockaddr_un socket_address(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw std::system_error(ENAMETOOLONG, std::generic_category(), path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

// Exactly SIZE bytes. False when the other side has gone.
inline bool receive_all(int socket, char *at, size_t size)
{
    while (size > 0) {
        const ssize_t got = recv(socket, at, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

// FRAME: length and message, as they came. One system call for a small frame: the peer sends nothing before it has our
// answer.
inline bool receive_frame(int socket, std::string &frame)
{
    char first[4096];
    ssize_t got = 0;
    do
        got = recv(socket, first, sizeof first, 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    auto have = static_cast<size_t>(got);
    while (have < 4) {
        if (!receive_all(socket, first + have, 1))
            return false;
        ++have;
    }
    uint32_t length = 0;
    std::memcpy(&length, first, 4);
    if (length > max_socket_frame || have > length + 4u)
        return false;
    frame.assign(first, have);
    frame.resize(length + 4u);
    return receive_all(socket, frame.data() + have, frame.size() - have);
}

inline bool send_frame(int socket, const google::protobuf::MessageLite &message, std::string &frame)
{
    const auto length = static_cast<uint32_t>(message.ByteSizeLong());
    frame.resize(length + 4u);
    std::memcpy(frame.data(), &length, 4);
    message.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t *>(frame.data()) + 4);
    for (size_t sent = 0; sent < frame.size();) {
        const ssize_t now = send(socket, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
        if (now < 0 && errno != EINTR)
            return false;
        sent += now > 0 ? static_cast<size_t>(now) : 0;
    }
    return true;
}

} // namespace sysmon
#endif
