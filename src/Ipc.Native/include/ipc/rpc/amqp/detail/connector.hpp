// The thread of a client or server at a broker: connects, and again when the connection was lost; does on it what other
// threads have posted, and hands on what comes.
//
// It reads before it sends: rabbitmq-c finds a missed heartbeat when it reads, and may wait without a limit when it
// sends after one was missed (docs/adr/0020).
//
// When a node of a broker dies, everybody who was connected to it comes back at once: the pauses grow, and each is
// shortened at random (Attempts.cs of the C# side).
#ifndef IPC_RPC_AMQP_DETAIL_CONNECTOR_HPP
#define IPC_RPC_AMQP_DETAIL_CONNECTOR_HPP

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../detail/guarded.hpp"
#include "../options.hpp"
#include "address.hpp"
#include "link.hpp"

namespace ipc::rpc::amqp::detail
{

// On the connector's thread; nothing is called once stop() has returned.
class connector_user : public link_user
{
  public:
    // Declares and consumes what it needs. False: the link is not good.
    virtual bool set_up(link &fresh) = 0;
    // From now on things may be posted.
    virtual void opened(link &fresh) = 0;
    // The connection has ended, or an attempt has failed. What was posted, and not done, never will be.
    virtual void lost(const outcome &why) = 0;
    // While there is a connection: whenever something was done or has come, and in as long as it returns.
    virtual link::duration look(link &on) = 0;

  protected:
    ~connector_user() = default;
};

class connector
{
  public:
    using task = std::function<void(link &)>;
    static constexpr size_t most_queued = 4u << 20; // bytes that items may have waiting here

    connector(address to, const options &with, const char *role, connector_user &user)
        : shared_(std::make_shared<state>(std::move(to), with, role, user))
    {
    }

    connector(const connector &) = delete;
    connector &operator=(const connector &) = delete;

    ~connector()
    {
        stop();
    }

    // False when the system has no thread, or no file, for it.
    bool start()
    {
        const auto begin = [this] { thread_ = std::thread([own = shared_] { own->run(); }); };
        return shared_->open() && static_cast<bool>(rpc::detail::guarded(begin));
    }

    // Does what was posted, if there is a connection, and closes it. Not from its own thread.
    void stop() noexcept
    {
        if (!thread_.joinable())
            return;
        if (shared_->stop()) {
            shared_->wait_or_break();
            thread_.join();
        } else {
            thread_.detach(); // it waits for a broker that does not answer, touches nobody's, and ends after that
        }
    }

    // To be done on the thread, in the order of posting. SIZE: bytes that it holds. The caller knows that there is a
    // connection: its opened() was called and its lost() was not, as seen under the lock that it takes in both.
    void post(task what, size_t size = 0)
    {
        shared_->post(std::move(what), size);
    }

    // Whether it should take no more for now: the broker reads nothing, or the network is slower than who sends.
    bool is_full() const noexcept
    {
        const std::lock_guard held(shared_->mutex);
        return shared_->queued > most_queued;
    }

  private:
    using clock = std::chrono::steady_clock;

    struct state {
        state(address of, const options &with, const char *its_role, connector_user &its_user)
            : to(std::move(of)), options(with), role(its_role), user(its_user), pause(with.first_pause)
        {
        }

        ~state()
        {
            for (const int each : pipe)
                if (each >= 0)
                    ::close(each);
        }

        bool open()
        {
            return ::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) == 0;
        }

        // False: the thread is with a broker that may not answer for long.
        bool stop()
        {
            const std::lock_guard held(mutex);
            stopping = true;
            options.on_connection = nullptr; // the thread may outlive what it refers to
            wake();
            changed.notify_all();
            return !connecting;
        }

        // A broker that reads nothing holds up who sends, until its heartbeat is missed: not who ends.
        void wait_or_break()
        {
            std::unique_lock held(mutex);
            if (!changed.wait_for(held, std::chrono::seconds(3), [this] { return socket < 0; }))
                ::shutdown(socket, SHUT_RDWR);
        }

        void post(task &&what, size_t size)
        {
            const std::lock_guard held(mutex);
            tasks.emplace_back(std::move(what), size);
            queued += size;
            if (tasks.size() == 1)
                wake();
        }

        void wake() noexcept
        {
            const char one = 1;
            (void)!::write(pipe[1], &one, 1);
        }

        void run()
        {
            for (;;) {
                const clock::time_point began = clock::now();
                std::unique_ptr<link> on;
                outcome failed;
                if (!connect(on, failed))
                    return;
                const clock::duration took = clock::now() - began;
                const bool had_opened = static_cast<bool>(failed);
                if (had_opened) {
                    user.opened(*on);
                    tell({});
                    serve(*on);
                    failed = on->why();
                    if (clock::now() - began > options.longest_pause)
                        pause = options.first_pause;
                }
                // Left without an answer: the node is busy with others.
                const bool is_busy = !had_opened && took >= patience() / 2;
                if (!is_busy)
                    unanswered = 0;
                if (!end(on, std::move(failed)) || !rest(is_busy))
                    return;
            }
        }

        // Tries the nodes in an order of chance, each for its share of the time. False at this end's end; else FAILED
        // is ok when there is one.
        bool connect(std::unique_ptr<link> &on, outcome &failed)
        {
            std::vector<node> nodes = to.nodes;
            std::shuffle(nodes.begin(), nodes.end(), random);
            const clock::time_point until = clock::now() + patience();
            for (size_t i = 0; i < nodes.size(); ++i) {
                if (!set_connecting(true)) {
                    forget_socket(on);
                    return false;
                }
                const auto left = std::chrono::duration_cast<link::duration>(until - clock::now());
                forget_socket(on);
                on = std::make_unique<link>();
                const bool is_open = on->open(to, nodes[i], options, role,
                                              std::max(left / static_cast<int>(nodes.size() - i), link::duration(1)));
                if (!set_connecting(false, is_open ? on->socket() : -1)) { // the user may have gone
                    forget_socket(on);
                    return false;
                }
                failed = {};
                if (is_open && user.set_up(*on))
                    return true;
                failed = on->why();
                if (failed.code != status::unavailable)
                    return true;
            }
            return true;
        }

        bool set_connecting(bool is, int to_break = -1)
        {
            const std::lock_guard held(mutex);
            connecting = is && !stopping;
            if (!stopping)
                socket = to_break;
            return !stopping;
        }

        // Its number may be another's in a moment.
        void forget_socket(std::unique_ptr<link> &of)
        {
            {
                const std::lock_guard held(mutex);
                socket = -1;
                changed.notify_all();
            }
            of.reset();
        }

        // The connection ON has FAILED, or this end ends: false then.
        bool end(std::unique_ptr<link> &on, outcome failed)
        {
            std::unique_lock held(mutex);
            const bool last = stopping;
            held.unlock();
            if (last && on->is_good() && !on->is_blocked())
                work(*on); // the last words
            if (last)
                on->close();
            forget_socket(on);
            if (last)
                return false;
            failed.text = "There is no connection to " + to.broker() + ": " + failed.text + ".";
            user.lost(failed);
            std::deque<std::pair<task, size_t>> dropped; // nobody posts any more; destroyed without the lock
            held.lock();
            dropped.swap(tasks);
            queued = 0;
            held.unlock();
            tell(failed.text);
            return true;
        }

        void serve(link &on)
        {
            clock::time_point next = clock::now();
            const std::chrono::milliseconds agreed = on.heartbeat();
            const auto alive = agreed.count() > 0 ? std::max(agreed / 3, std::chrono::milliseconds(100))
                                                  : std::chrono::milliseconds(5000);
            while (on.is_good()) {
                bool is_new = false;
                const bool was_blocked = on.is_blocked();
                if (!on.read(user, is_new)) // first: it finds that nothing has come for too long, and sending does not
                    return;
                is_new = (!on.is_blocked() && (work(on) || was_blocked)) || is_new;
                {
                    const std::lock_guard held(mutex);
                    if (stopping)
                        return;
                }
                const clock::time_point now = clock::now();
                if ((is_new || now >= next) && !on.is_blocked())
                    next = now + std::max(user.look(on), std::chrono::milliseconds(1));
                if (on.has_more() || !on.is_good() || (is_new && !on.is_blocked()))
                    continue;
                pollfd waits[] = {{on.socket(), POLLIN, 0}, {pipe[0], POLLIN, 0}};
                const auto until = std::chrono::ceil<std::chrono::milliseconds>(next - now);
                const auto time = std::clamp<int64_t>(until.count(), 0, std::max<int64_t>(1, alive.count()));
                ::poll(waits, 2, static_cast<int>(on.is_blocked() ? alive.count() : time));
                char read[64];
                while (waits[1].revents != 0 && ::read(pipe[0], read, sizeof read) > 0) {
                }
            }
        }

        // Whether there was anything to do. What is left when an alarm comes stays where it was.
        bool work(link &on)
        {
            constexpr size_t at_once = 64u << 10; // bytes, between two looks at what has come
            std::deque<std::pair<task, size_t>> mine;
            {
                const std::lock_guard held(mutex);
                mine.swap(tasks);
                queued = 0;
            }
            const bool any = !mine.empty();
            clock::time_point read_at = clock::now();
            for (size_t sent = 0; !mine.empty() && on.is_good();) {
                sent += mine.front().second;
                mine.front().first(on);
                mine.pop_front();
                if (sent < at_once && clock::now() - read_at < std::chrono::milliseconds(20))
                    continue;
                bool unused = false;
                on.read(user, unused); // answers wait for nobody's requests, and an alarm may have come
                if (on.is_blocked())
                    break;
                sent = 0;
                read_at = clock::now();
            }
            const std::lock_guard held(mutex);
            for (; !mine.empty() && on.is_good(); mine.pop_back()) {
                queued += mine.back().second;
                tasks.push_front(std::move(mine.back()));
            }
            return any;
        }

        // How long an attempt may take.
        link::duration patience() const noexcept
        {
            constexpr link::duration most = std::chrono::minutes(2);
            return std::max(options.connect_timeout,
                            std::min(options.connect_timeout * (1 << std::min(unanswered, 3u)), most));
        }

        // IS_BUSY: the attempt was left without an answer. False at the end.
        bool rest(bool is_busy)
        {
            clock::duration time = pause;
            if (is_busy) {
                time = std::max<clock::duration>(time, patience());
                ++unanswered;
            }
            pause = std::min(pause * 2, options.longest_pause);
            time -= time / 2 * static_cast<int64_t>(random() % 1024) / 1024;
            std::unique_lock held(mutex);
            return !changed.wait_for(held, time, [this] { return stopping; });
        }

        void tell(const std::string &reason)
        {
            if (has_told && reason == told)
                return;
            has_told = true;
            told = reason;
            std::function<void(const connection_change &)> listener;
            {
                const std::lock_guard held(mutex);
                listener = options.on_connection;
            }
            if (listener)
                (void)rpc::detail::guarded([&] { listener({reason.empty(), reason}); });
        }

        const address to;
        amqp::options options; // but for the listener, not changed
        const char *const role;
        connector_user &user; // not touched once stopping is seen
        int pipe[2] = {-1, -1};
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::pair<task, size_t>> tasks;
        size_t queued = 0;
        bool stopping = false;
        bool connecting = false;
        int socket = -1;                             // of the connection that there is
        std::mt19937 random{std::random_device{}()}; // this and what follows: of the thread
        std::chrono::milliseconds pause;
        unsigned unanswered = 0; // attempts in a row
        bool has_told = false;
        std::string told;
    };

    const std::shared_ptr<state> shared_;
    std::thread thread_;
};

} // namespace ipc::rpc::amqp::detail
#endif
