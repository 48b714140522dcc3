// Counts the lines of many files with as many workers as one likes, each of which may be killed at any time. The twin of
// ../CSharp: any submitter works with any workers.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

#include "ipc.hpp"

using namespace std::chrono_literals;

namespace
{

constexpr uint16_t type_work = 1, type_stop = 2;

long count_lines(const std::string &file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return -1; // not readable: an answer like any other
    return std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n');
}

int work(const std::string &name)
{
    // snippet: worker
    ipc::queue jobs(name + ".jobs"), results(name + ".results");
    ipc::queue_message job;
    while (jobs.receive(job, ipc::deadline::never()) == IPC_OK && job.type() != type_stop) {
        const std::string file(job.text());
        results.send(file + "\t" + std::to_string(count_lines(file)) + (job.redelivered() ? "\tagain" : "\tfirst"), type_work);
        job.release(); // killed before this line: another worker gets the job, marked as redelivered
    }
    // end-snippet
    return 0;
}

struct tally {
    std::set<std::string> waiting;
    long lines = 0;
    int twice = 0, unmarked = 0;

    bool answer(ipc::queue &results, ipc::deadline until)
    {
        ipc::queue_message message;
        if (results.receive(message, until) != IPC_OK)
            return false;
        const std::string text(message.text());
        message.release();
        const size_t first = text.find('\t'), second = text.find('\t', first + 1);
        if (waiting.erase(text.substr(0, first)) != 0) {
            lines += std::max(0L, std::atol(text.c_str() + first + 1));
        } else {
            twice++; // its worker died between the answer and the release
            unmarked += text.substr(second + 1) == "again" ? 0 : 1;
        }
        return true;
    }
};

int submit(const std::string &name, const std::string &folder)
{
    namespace fs = std::filesystem;
    // snippet: submitter
    ipc_queue_options options = {};
    options.block_size = 120; // longer names travel as loans
    options.block_count = 64;
    options.max_expansions = 15;
    ipc::queue jobs(name + ".jobs", options), results(name + ".results", options);
    // end-snippet

    tally all;
    for (const auto &entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied))
        if (entry.is_regular_file() && !entry.is_symlink() && all.waiting.size() < 20000)
            all.waiting.insert(entry.path().string());
    const size_t files = all.waiting.size();
    const std::set<std::string> paths = all.waiting;
    for (const std::string &file : paths)
        while (jobs.try_send(file, type_work) == IPC_FULL)
            all.answer(results, 1ms);
    while (!all.waiting.empty() && all.answer(results, 20s)) {
    }
    std::cout << "files " << files << ", lines " << all.lines << ", lost " << all.waiting.size() << ", answered twice " << all.twice
              << ", of these not marked " << all.unmarked << ", segments " << jobs.info().segments << std::endl;
    return all.waiting.empty() && all.unmarked == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string verb = argc > 1 ? argv[1] : "";
    try {
        if (verb == "work" && argc == 3)
            return work(argv[2]);
        if (verb == "submit" && argc == 4)
            return submit(argv[2], argv[3]);
    } catch (const std::exception &problem) {
        std::cerr << problem.what() << std::endl;
        return 1;
    }
    std::cerr << "usage: workqueue submit NAME FOLDER | work NAME" << std::endl;
    return 2;
}
