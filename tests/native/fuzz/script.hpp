// A fuzzer's input as a script of records: what both the fuzzers and whoever reads a corpus need to know.
//
//     1 byte    what to do before (the fuzzer's own business)
//     then, again and again:
//     1 byte    0xFE: the record type is the next byte; 0xFF: the record is a frame with a proper id (the call's)
//     1 byte    length, L
//     L bytes   the record, cut at the end of the input
//
// A mutation in one place leaves the other records what they were: that is what makes progress possible.
#ifndef FUZZ_SCRIPT_HPP
#define FUZZ_SCRIPT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

#include <google/protobuf/stubs/logging.h>

#include "ipc/rpc/detail/frame.hpp"

namespace fuzz
{

class script
{
  public:
    script(const uint8_t *bytes, size_t size) noexcept : at_(bytes), end_(bytes + size)
    {
    }

    uint8_t byte() noexcept
    {
        return at_ < end_ ? *at_++ : 0;
    }

    // The next record, in BYTES. CALL: the id that frames have which are to have a proper one.
    bool next(std::string &bytes, uint16_t &type, uint64_t call)
    {
        if (at_ == end_)
            return false;
        const uint8_t how = byte();
        type = how == 0xFE ? byte() : ipc::rpc::frame_record_type;
        const size_t length = std::min<size_t>(byte(), static_cast<size_t>(end_ - at_));
        bytes.assign(reinterpret_cast<const char *>(at_), length);
        at_ += length;
        if (how == 0xFF && length >= ipc::rpc::frame_header_size)
            std::memcpy(&bytes[offsetof(ipc::rpc::frame_header, call)], &call, sizeof call);
        return true;
    }

  private:
    const uint8_t *at_;
    const uint8_t *const end_;
};

[[noreturn]] inline void fail(const char *what)
{
    std::fprintf(stderr, "FAILED: %s\n", what);
    std::abort();
}

inline void require(bool condition, const char *what)
{
    if (!condition)
        fail(what);
}

// Once per process. Regions go to a directory that is gone afterwards, unless IPC_DIR says where; and what protobuf has
// to say about bad text is nothing new here.
inline bool prepare()
{
    google::protobuf::SetLogHandler(nullptr);
    static std::string path;
    if (std::getenv("IPC_DIR") != nullptr)
        return true;
    char name[] = "/dev/shm/ipc-fuzz-XXXXXX";
    require(mkdtemp(name) != nullptr, "a directory for the regions");
    path = name;
    setenv("IPC_DIR", name, 1);
    std::atexit([] { rmdir(path.c_str()); });
    return true;
}

} // namespace fuzz
#endif
