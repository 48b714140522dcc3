#include "socket_server.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "socket_frame.hpp"

namespace sysmon
{

socket_server::socket_server(std::string path, std::function<void(int client)> serve)
    : path_(std::move(path)), serve_(std::move(serve))
{
    const sockaddr_un address = socket_address(path_);
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener_ < 0 || bind(listener_, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 ||
        listen(listener_, 16) != 0) {
        const int why = errno;
        if (listener_ >= 0)
            close(listener_);
        throw std::system_error(why, std::generic_category(), "cannot listen at " + path_);
    }
    const std::lock_guard held(mutex_);
    threads_.emplace_back([this] { accept_clients(); });
}

socket_server::~socket_server()
{
    std::list<std::thread> threads;
    {
        const std::lock_guard held(mutex_);
        stopping_ = true;
        for (const int client : clients_)
            shutdown(client, SHUT_RDWR);
        shutdown(listener_, SHUT_RDWR);
        threads.swap(threads_);
    }
    for (std::thread &thread : threads)
        thread.join();
    close(listener_);
    unlink(path_.c_str());
}

void socket_server::accept_clients()
{
    for (;;) {
        const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0 && errno == EINTR)
            continue;
        const std::lock_guard held(mutex_);
        if (stopping_ || client < 0) {
            if (client >= 0)
                close(client);
            return;
        }
        clients_.push_back(client);
        threads_.emplace_back([this, client] { serve(client); });
    }
}

void socket_server::serve(int client)
{
    serve_(client);
    const std::lock_guard held(mutex_);
    clients_.remove(client);
    close(client);
}

} // namespace sysmon
