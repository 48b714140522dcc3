// The C++ tests' frame: TEST(Name) { ... CHECK(...) ... }. A program runs all its tests, or the one named on its
// command line. Each runs in a region directory of its own, which must be empty afterwards, and under a watchdog.
// PROGRAM(name) { ... } is a main that runs only when it is named, with the words after its name: argc and argv.
#ifndef RPC_CHECK_HPP
#define RPC_CHECK_HPP

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <dirent.h>
#include <unistd.h>

namespace check
{

struct test {
    const char *name;
    void (*run)();
};

inline std::vector<test> &tests()
{
    static std::vector<test> all;
    return all;
}

struct program {
    const char *name;
    int (*run)(int argc, char **argv);
};

inline std::vector<program> &programs()
{
    static std::vector<program> all;
    return all;
}

struct registered {
    registered(const char *name, void (*run)())
    {
        tests().push_back({name, run});
    }

    registered(const char *name, int (*run)(int argc, char **argv))
    {
        programs().push_back({name, run});
    }
};

[[noreturn]] inline void fail(const char *file, int line, const std::string &what)
{
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

template <class A, class B> void equal(const A &actual, const B &expected, const char *text, const char *file, int line)
{
    if (actual == expected)
        return;
    std::ostringstream words;
    words << text << ": ";
    if constexpr (std::is_enum_v<A>)
        words << "got " << static_cast<long>(actual) << ", expected " << static_cast<long>(expected);
    else
        words << "got " << actual << ", expected " << expected;
    fail(file, line, words.str());
}

// Something that happens on another thread, waited for without polling.
class signal
{
  public:
    void set()
    {
        const std::lock_guard held(mutex_);
        set_ = true;
        changed_.notify_all();
    }

    void wait()
    {
        std::unique_lock held(mutex_);
        changed_.wait(held, [this] { return set_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool set_ = false;
};

inline std::string left_behind(const std::string &folder)
{
    std::string names;
    if (DIR *open = opendir(folder.c_str())) {
        while (const dirent *found = readdir(open))
            if (found->d_name[0] != '.')
                names += std::string(" ") + found->d_name;
        closedir(open);
    }
    return names;
}

inline int run(int argc, char **argv)
{
    for (const program &each : programs())
        if (argc > 1 && std::strcmp(argv[1], each.name) == 0)
            return each.run(argc - 1, argv + 1);
    int failed = 0, ran = 0;
    // Below the run's directory, so that what a test that hangs leaves is found there.
    const char *given = getenv("IPC_DIR");
    const std::string base = given != nullptr && access(given, W_OK) == 0 ? given : "/dev/shm";
    for (const test &each : tests()) {
        if (argc > 1 && std::strcmp(argv[1], each.name) != 0)
            continue;
        ++ran;
        std::string folder = base + "/cpp.XXXXXX";
        if (mkdtemp(folder.data()) == nullptr) {
            std::perror(folder.c_str());
            return 1;
        }
        setenv("IPC_DIR", folder.c_str(), 1);
        alarm(280); // the watchdog, as test.c has it: a test that hangs is ended by SIGALRM
        std::string problem;
        try {
            each.run();
        } catch (const std::exception &thrown) {
            problem = thrown.what();
        }
        const std::string left = left_behind(folder);
        if (problem.empty() && !left.empty())
            problem = "left behind:" + left;
        if (left.empty())
            rmdir(folder.c_str());
        else
            std::system(("rm -rf " + folder).c_str()); // our own mkdtemp
        std::printf("%s %s%s%s\n", problem.empty() ? "ok    " : "FAILED", each.name, problem.empty() ? "" : ": ",
                    problem.c_str());
        std::fflush(stdout);
        failed += problem.empty() ? 0 : 1;
    }
    if (ran == 0)
        std::printf("no such test\n");
    return failed == 0 && ran > 0 ? 0 : 1;
}

} // namespace check

#define TEST(name)                                                                                                     \
    static void name();                                                                                                \
    static const check::registered registered_##name(#name, name);                                                     \
    static void name()

#define PROGRAM(name)                                                                                                  \
    static int name(int argc, char **argv);                                                                            \
    static const check::registered registered_##name(#name, name);                                                     \
    static int name([[maybe_unused]] int argc, [[maybe_unused]] char **argv)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            check::fail(__FILE__, __LINE__, "not so: " #condition);                                                    \
    } while (0)

#define CHECK_EQUAL(actual, expected) check::equal((actual), (expected), #actual, __FILE__, __LINE__)

#endif
