// The rival: Grid() over a Unix socket, the same request and response bytes, each after its length in four bytes
// (little-endian). One thread per client, blocking calls: the fastest simple thing that one would write instead.
#ifndef OFFICEADDIN_SOCKET_SERVER_HPP
#define OFFICEADDIN_SOCKET_SERVER_HPP

#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "sheet_table.hpp"

namespace officeaddin
{

class socket_server
{
  public:
    // Listens at PATH, which must not exist, and removes it at the end. Throws std::system_error.
    socket_server(std::string path, sheet_table &table);
    ~socket_server();

    socket_server(const socket_server &) = delete;
    socket_server &operator=(const socket_server &) = delete;

  private:
    void accept_clients();
    void serve(int client);

    const std::string path_;
    sheet_table &table_;
    int listener_ = -1;
    std::mutex mutex_;
    bool stopping_ = false;
    std::list<int> clients_;
    std::list<std::thread> threads_;
};

} // namespace officeaddin
#endif
