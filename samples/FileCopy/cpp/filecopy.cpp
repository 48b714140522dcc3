// Copies files from one program to another, each of which may be killed at any time and started again. The twin of
// ../CSharp: any sender works with any receiver.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>

#include "ipc.hpp"

namespace
{

constexpr uint64_t chunk_size = 16 << 10; // message n of a sender is the n-th chunk of its file
constexpr uint16_t type_middle = 1, type_last = 2, type_receipt = 3;

int send_file(const std::string &server, const std::string &name, const std::string &path)
{
    // snippet: send
    ipc::named_connection copy(server, name);
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const uint64_t length = static_cast<uint64_t>(file.tellg());
    const uint64_t chunks = std::max<uint64_t>(1, (length + chunk_size - 1) / chunk_size);
    uint64_t sent = copy.sent(); // a former life of this program may have sent some
    file.seekg(static_cast<std::streamoff>(std::min(sent, chunks) * chunk_size));
    while (sent < chunks) {
        const uint32_t size = static_cast<uint32_t>(std::min(chunk_size, length - sent * chunk_size));
        uint8_t *chunk = nullptr;
        ipc::require(copy.claim(size, chunk, ipc::deadline::never())); // waits for room, and meanwhile for the receiver
        file.read(reinterpret_cast<char *>(chunk), size); // straight into shared memory
        ipc::require(copy.commit(size, sent + 1 == chunks ? type_last : type_middle, &sent));
    }
    // end-snippet

    if (copy.acknowledged() == 0) {
        ipc::named_message receipt;
        ipc::require(copy.receive(receipt, ipc::deadline::never()));
        std::cout << receipt.text() << std::endl;
        copy.acknowledge();
    }
    return 0;
}

void write_chunks(ipc::named_ref copy, const std::string &path)
{
    { std::ofstream made(path, std::ios::binary | std::ios::app); } // it is there
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    bool is_last = false;
    ipc::named_message chunk;
    while (copy.try_receive(chunk) == IPC_OK) {
        file.seekp(static_cast<std::streamoff>((chunk.sequence - 1) * chunk_size)); // again to its place, if it comes again
        file.write(reinterpret_cast<const char *>(chunk.data), chunk.size);
        is_last = is_last || chunk.type == type_last;
    }
    file.seekp(0, std::ios::end);
    const std::string receipt = std::string(copy.client_name()) + ": " + std::to_string(file.tellp()) + " bytes";
    file.close();
    if (is_last)
        copy.send(receipt, type_receipt);
    copy.acknowledge(); // killed before this line: the chunks come again
}

int receive_files(const std::string &server, const std::string &folder)
{
    // snippet: receive
    ipc::named_listener listener(server);
    ipc_named_event next;
    while (listener.next(next, ipc::deadline::never()) == IPC_OK) {
        ipc::named_ref copy(next.connection);
        if (next.kind == IPC_NAMED_LOGIN) {
            if (copy.accept() != IPC_OK)
                return 1;
        } else if (next.kind == IPC_NAMED_READABLE) {
            write_chunks(copy, folder + "/" + copy.client_name());
            listener.give_back(copy);
        } else { // its sender has gone: for good, if it has acknowledged the receipt
            const bool is_over = copy.sent() > 0 && copy.unacknowledged() == 0;
            const std::string name = copy.client_name();
            ipc_named_close(copy.get(), IPC_CLOSE_NORMAL, nullptr);
            if (is_over)
                (void)ipc::named_connection::try_remove(server, name);
        }
    }
    // end-snippet
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string verb = argc > 1 ? argv[1] : "";
    try {
        if (verb == "send" && argc == 5)
            return send_file(argv[2], argv[3], argv[4]);
        if (verb == "receive" && argc == 4)
            return receive_files(argv[2], argv[3]);
    } catch (const std::exception &problem) {
        std::cerr << problem.what() << std::endl;
        return 1;
    }
    std::cerr << "usage: filecopy send SERVER NAME FILE | receive SERVER FOLDER" << std::endl;
    return 2;
}
