// What the frame of the C++ tests needs of the system: a folder, the environment, a watchdog.
#ifndef RPC_SYSTEM_HPP
#define RPC_SYSTEM_HPP

#include <cstdio>
#include <cstdlib>
#include <string>

#include <dirent.h>
#include <unistd.h>

#ifdef _WIN32
#include <chrono>
#include <thread>

#include <direct.h>
#else
#include <sys/stat.h>
#endif

namespace check
{

inline void set_environment(const char *name, const std::string &value)
{
#ifdef _WIN32
    _putenv_s(name, value.c_str());
#else
    setenv(name, value.c_str(), 1);
#endif
}

// Below the run's directory, so that what a test that hangs leaves is found there.
inline std::string base_folder()
{
    const char *given = std::getenv("IPC_DIR");
    if (given != nullptr && access(given, W_OK) == 0)
        return given;
#ifdef _WIN32
    const char *temporary = std::getenv("TEMP");
    return temporary != nullptr ? temporary : ".";
#else
    return "/dev/shm";
#endif
}

// A new one; empty: it could not be made.
inline std::string make_folder(const std::string &base)
{
#ifdef _WIN32
    static int made = 0;
    const std::string folder = base + "\\cpp." + std::to_string(getpid()) + "." + std::to_string(++made);
    return _mkdir(folder.c_str()) == 0 ? folder : std::string();
#else
    std::string folder = base + "/cpp.XXXXXX";
    return mkdtemp(folder.data()) != nullptr ? folder : std::string();
#endif
}

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

inline void remove_folder(const std::string &folder)
{
#ifdef _WIN32
    if (DIR *open = opendir(folder.c_str())) {
        while (const dirent *found = readdir(open))
            unlink((folder + "\\" + found->d_name).c_str());
        closedir(open);
    }
    rmdir(folder.c_str());
#else
    if (rmdir(folder.c_str()) != 0)
        std::system(("rm -rf " + folder).c_str()); // our own mkdtemp
#endif
}

// As test.c has it: a test that hangs is ended, on Linux by SIGALRM. Once for each test.
inline void begin_watchdog(unsigned seconds)
{
#ifdef _WIN32
    static const std::thread::id none;
    static std::thread::id watching = none;
    if (watching != none)
        return; // for the program: its tests are run one by one
    std::thread watchdog([seconds] {
        std::this_thread::sleep_for(std::chrono::seconds(seconds));
        std::fputs("a test hangs\n", stderr);
        std::_Exit(3);
    });
    watching = watchdog.get_id();
    watchdog.detach();
#else
    alarm(seconds);
#endif
}

} // namespace check
#endif
