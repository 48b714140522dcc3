// The other process of an RPC test.
#ifndef RPC_PEER_PROCESS_HPP
#define RPC_PEER_PROCESS_HPP

#include <csignal>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rpc_check.hpp"

// rpc_peer with a verb, and the name "rpc"; killed at the end unless it has ended.
class peer_process
{
  public:
    explicit peer_process(const char *verb, const char *argument = nullptr)
    {
        int to[2], from[2];
        CHECK(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
        pid_ = fork();
        CHECK(pid_ >= 0);
        if (pid_ == 0) {
            dup2(to[0], STDIN_FILENO);
            dup2(from[1], STDOUT_FILENO);
            execl(RPC_PEER, RPC_PEER, verb, "rpc", argument, static_cast<char *>(nullptr));
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        input_ = to[1];
        output_ = fdopen(from[0], "r");
    }

    ~peer_process()
    {
        if (pid_ > 0)
            kill();
        close(input_);
        fclose(output_);
    }

    void wait_until_ready()
    {
        char line[256] = "";
        CHECK(fgets(line, sizeof line, output_) != nullptr);
        CHECK_EQUAL(std::string(line), "ready\n");
    }

    void kill()
    {
        ::kill(pid_, SIGKILL);
        exit_code();
    }

    int exit_code()
    {
        int state = 0;
        CHECK_EQUAL(waitpid(pid_, &state, 0), pid_);
        pid_ = -1;
        char line[256];
        if (WIFEXITED(state) && WEXITSTATUS(state) != 0) {
            while (fgets(line, sizeof line, output_) != nullptr)
                fputs(line, stderr); // what it found wrong
        }
        return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
    }

    pid_t pid() const
    {
        return pid_;
    }

  private:
    pid_t pid_ = -1;
    int input_ = -1;
    FILE *output_ = nullptr;
};

#endif
