// A reference that a handler keeps beyond its call: in a program that is compiled with IPC_POISON it shows no other
// call's bytes. (Compiled without, it does, which is why.)
#include <cstring>

#include "rpc_serving.hpp"

namespace
{

constexpr ipc::rpc::method<contract::Blob, contract::Blob> keeps{"tests.v1", "Keeps"};

} // namespace

TEST(WhatAHandlerKeepsOfItsMessagesIsPoisoned)
{
    const contract::Blob *request = nullptr, *response = nullptr;
    const serving here([&](ipc::rpc::server &at) {
        at.unary(keeps, [&](const contract::Blob &asked, contract::Blob &answer) {
            const auto is_poisoned = [](const void *message) {
                const auto *bytes = static_cast<const unsigned char *>(message);
                size_t poisoned = 0;
                while (poisoned < sizeof(contract::Blob) && bytes[poisoned] == 0xDD)
                    ++poisoned;
                return poisoned == sizeof(contract::Blob);
            };
            answer.set_data(request == nullptr ? "first"
                            : request != &asked && response != &answer && is_poisoned(request) && is_poisoned(response)
                                ? "poisoned"
                                : "kept");
            request = &asked;
            response = &answer;
        });
    });
    ipc::rpc::client caller("rpc");
    CHECK_EQUAL(caller.call(keeps, blob("a")).data(), "first");
    CHECK_EQUAL(caller.call(keeps, blob("b")).data(), "poisoned");
}

int main(int argc, char **argv)
{
    return check::run(argc, argv);
}
