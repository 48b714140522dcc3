// A service that is replaced by its next version while it is used: the twin of ../CSharp, and either replaces the other.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "ipc/rpc.hpp"
#include "squares.pb.h"

using namespace squares::v1;

namespace
{

constexpr int calls_of_the_last = 1000;

int serve(const std::string &name, int version)
{
    // snippet: server
    ipc::rpc::server_options options;
    options.take_over = true;
    ipc::rpc::server server(name, options);
    server.unary<Question, Answer>("squares.v1", "Square", [version](const Question &question, Answer &answer) {
        answer.set_square(question.number() * question.number());
        answer.set_version(version);
    });
    server.start();
    std::cout << "version " << version << ", in C++, serves" << std::endl;
    server.wait(); // another one has taken the name, and what was asked of this one is answered
    // end-snippet
    std::cout << "version " << version << " is followed, and ends" << std::endl;
    return 0;
}

int ask(const std::string &name, int last)
{
    // snippet: client
    ipc::rpc::client client(name);
    int version = 0, of_the_last = 0;
    int64_t calls = 0;
    Question question;
    for (; of_the_last < calls_of_the_last; calls++) {
        question.set_number(calls);
        const Answer &answer = client.call<Answer>("squares.v1", "Square", question); // throws when it fails
        // end-snippet
        if (answer.square() != calls * calls || answer.version() < version) {
            std::cout << "the square of " << calls << " is " << answer.square() << ", says version "
                      << answer.version() << " behind " << version << std::endl;
            return 1;
        }

        if (answer.version() != version)
            std::cout << "version " << (version = answer.version()) << " answers" << std::endl;
        if (version == last)
            of_the_last++;
    }

    std::cout << "C++: " << calls << " calls, none failed" << std::endl;
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const std::string what = argc == 4 ? argv[1] : "";
        if (what == "serve")
            return serve(argv[2], std::atoi(argv[3]));
        if (what == "ask")
            return ask(argv[2], std::atoi(argv[3]));
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }

    std::cerr << "usage: upgrade serve NAME VERSION | ask NAME LAST-VERSION" << std::endl;
    return 2;
}
