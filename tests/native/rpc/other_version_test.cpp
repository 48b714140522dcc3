// A program whose headers are of another version than the library that it found: opening anything says so, in words. Here the
// headers are made to say so themselves.
#include "ipc/base.h"
#undef IPC_VERSION_MINOR
#define IPC_VERSION_MINOR 99

#include "ipc.hpp"
#include "rpc_check.hpp"

TEST(NothingIsOpenedWithAnotherLibraryThanTheHeadersAreOf)
{
    ipc::ring_writer writer;
    CHECK_EQUAL(ipc::ring_writer::try_open("ring", {}, writer), IPC_E_WRONG_VERSION);
    CHECK(!writer);
    ipc::connection connection;
    CHECK_EQUAL(ipc::connection::try_connect("server", {}, connection), IPC_E_WRONG_VERSION);
    CHECK(!connection);
}

TEST(TheErrorNamesBothVersions)
{
    std::string words;
    try {
        ipc::queue queue("queue");
    } catch (const ipc::error &failure) {
        CHECK_EQUAL(failure.code(), IPC_E_WRONG_VERSION);
        words = failure.what();
    }
    CHECK(words.find(".99.") != std::string::npos);
    CHECK(words.find(ipc_version()) != std::string::npos);
}

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
