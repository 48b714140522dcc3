// The archive, and ipc.hpp without the calls.
#include <ipc.hpp>

#include <cstdio>
#include <string>

int main()
{
    const std::string name = "consumer.archived";
    ipc::ring_writer writer(name);
    ipc::ring_reader reader(name);
    writer.write("hello");
    ipc::record record;
    ipc::require(reader.read(record, ipc::deadline::now()));
    const bool same = record.text() == "hello";
    reader.release();
    std::printf("%s, ipc %s\n", same ? "hello" : "something else", ipc_version());
    return same ? 0 : 1;
}
