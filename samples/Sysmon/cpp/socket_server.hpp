// The rival: one method over a Unix socket, the same request and response bytes, each after its length in four bytes
// (little-endian). One thread per client, blocking calls: the fastest simple thing that one would write instead.
#ifndef SYSMON_SOCKET_SERVER_HPP
#define SYSMON_SOCKET_SERVER_HPP

#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "ipc/rpc/status.hpp"
#include "socket_frame.hpp"

namespace sysmon
{

class socket_server
{
  public:
    // Listens at PATH, which must not exist, and removes it at the end. Throws std::system_error. SERVE has a client's
    // socket, on a thread of that client's own, and returns when the client has gone: answer_frames does.
    socket_server(std::string path, std::function<void(int client)> serve);
    ~socket_server();

    socket_server(const socket_server &) = delete;
    socket_server &operator=(const socket_server &) = delete;

  private:
    void accept_clients();
    void serve(int client);

    const std::string path_;
    const std::function<void(int client)> serve_;
    int listener_ = -1;
    std::mutex mutex_;
    bool stopping_ = false;
    std::list<int> clients_;
    std::list<std::thread> threads_;
};

// Answers a client's requests until it goes, or sends what is none.
template <typename Request, typename Response, typename Answer> void answer_frames(int client, Answer answer)
{
    std::string frame;
    Request request;
    Response response;
    while (receive_frame(client, frame) &&
           request.ParseFromArray(frame.data() + 4, static_cast<int>(frame.size()) - 4)) {
        response.Clear();
        try {
            answer(request, response);
        } catch (const ipc::rpc::error &) {
            return; // it does not speak our language
        }
        if (!send_frame(client, response, frame))
            return;
    }
}

} // namespace sysmon
#endif
