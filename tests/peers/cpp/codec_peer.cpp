// codec_peer - reads and writes messages as protoc's C++ classes do, for tests/Ipc.Rpc.Codec.Tests.
//
// Requests on stdin: the length of a message's full name, the name, the length of the payload, the payload. For each
// one answer on stdout: one byte, 1 for "a message" and 0 for "not a message"; after a 1 the length and the bytes of
// the same message, written again with the entries of maps in order of their keys. Lengths are 32-bit numbers of this
// machine. Ends with code 0 at the end of stdin; a request that is cut short or names no message is an error of the
// caller, with code 2 and words on stderr.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include "codec.pb.h"

namespace
{

[[noreturn]] void fail(const std::string &what)
{
    std::fprintf(stderr, "codec_peer: %s\n", what.c_str());
    std::exit(2);
}

void read_exactly(void *to, std::size_t size)
{
    if (size != 0 && std::fread(to, 1, size, stdin) != size)
        fail("a request is cut short");
}

std::string read_counted(std::uint32_t size)
{
    std::string bytes(size, '\0');
    read_exactly(bytes.data(), size);
    return bytes;
}

std::uint32_t read_size()
{
    std::uint32_t size;
    read_exactly(&size, sizeof size);
    return size;
}

std::unique_ptr<google::protobuf::Message> make(const std::string &name)
{
    const auto *descriptor = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
    if (descriptor == nullptr)
        fail("no message " + name);
    return std::unique_ptr<google::protobuf::Message>(
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
}

std::string write(const google::protobuf::Message &message)
{
    std::string bytes;
    {
        google::protobuf::io::StringOutputStream stream(&bytes);
        google::protobuf::io::CodedOutputStream output(&stream);
        output.SetSerializationDeterministic(true);
        if (!message.SerializeToCodedStream(&output))
            fail("a message that was read cannot be written");
    }
    return bytes;
}

void answer(const std::string *bytes)
{
    std::fputc(bytes != nullptr, stdout);
    if (bytes != nullptr) {
        const auto size = static_cast<std::uint32_t>(bytes->size());
        std::fwrite(&size, sizeof size, 1, stdout);
        std::fwrite(bytes->data(), 1, size, stdout);
    }
    if (std::fflush(stdout) != 0)
        fail("nobody reads the answers");
}

} // namespace

int main()
{
    GOOGLE_PROTOBUF_VERIFY_VERSION;
    google::protobuf::SetLogHandler(nullptr);  // what is refused is told by the answer
    (void)codec::v1::Everything::descriptor(); // the linker keeps what is named: now the pool has the whole file

    int first;
    while ((first = std::fgetc(stdin)) != EOF) {
        std::ungetc(first, stdin);
        const std::string name = read_counted(read_size());
        const std::string payload = read_counted(read_size());
        const auto message = make(name);
        if (message->ParseFromString(payload)) {
            const std::string bytes = write(*message);
            answer(&bytes);
        } else {
            answer(nullptr);
        }
    }
    return 0;
}
