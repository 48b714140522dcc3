// The guide's store, served from C++: what every snippet that calls something talks to.
#ifndef SNIPPETS_STORE_HPP
#define SNIPPETS_STORE_HPP

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ipc/rpc.hpp"
#include "store.alerts.v1.pb.h"
#include "store.v1.pb.h"

namespace snippets
{

using namespace store::v1;

// snippet: methods
constexpr ipc::rpc::method<GetRequest, Item> get{"store.v1", "Get"};
constexpr ipc::rpc::method<Order, Receipt> order{"store.v1", "Order"};
constexpr ipc::rpc::method<TakeRequest, Receipt> take{"store.v1", "Take"};
constexpr ipc::rpc::stream_method<ChangesRequest, Change> changes{"store.v1", "Changes"};
constexpr ipc::rpc::client_stream_method<google::protobuf::Empty, Item, Totals> import{"store.v1", "Import"};
constexpr ipc::rpc::duplex_method<google::protobuf::Empty, Order, Receipt> till{"store.v1", "Till"};
constexpr ipc::rpc::progress_method<RecountRequest, RecountResponse, RecountProgress> recount{"store.v1", "Recount"};
constexpr ipc::rpc::one_way_method<NoteRequest> note{"store.v1", "Note"};
// end-snippet
constexpr ipc::rpc::method<PhotoRequest, PhotoResponse> photo{"store.v1", "Photo"};
constexpr ipc::rpc::method<WatchRequest, google::protobuf::Empty> watch{"store.v1", "Watch"};
constexpr ipc::rpc::method<Item, google::protobuf::Empty> low{"store.alerts.v1", "Low"};

class store_server
{
  public:
    explicit store_server(const std::string &name) : server_(name)
    {
        stock_ = {{"apple", 10}, {"pear", 3}};

        // snippet: get
        server_.unary(get, [this](const GetRequest &request, Item &item) {
            const std::lock_guard held(mutex_); // several calls may run at once
            const auto found = stock_.find(request.sku());
            if (found == stock_.end())
                throw ipc::rpc::error(ipc::rpc::status::not_found, "There is no " + request.sku() + ".");
            item.set_sku(found->first);
            item.set_count(found->second);
        });
        // end-snippet

        // snippet: take
        server_.unary(take, [this](const TakeRequest &request, Receipt &receipt) -> ipc::rpc::outcome {
            const std::lock_guard held(mutex_);
            int &left = stock_[request.sku()];
            if (left < request.count()) {
                OutOfStock why;
                why.set_sku(request.sku());
                why.set_left(left);
                return ipc::rpc::outcome(ipc::rpc::status::failed_precondition, "Too many.").with(why);
            }
            receipt.set_left(left -= request.count());
            return {};
        });
        // end-snippet

        // snippet: order
        server_.unary(order, [this](const Order &request, Receipt &receipt, ipc::rpc::call_context &call) {
            using namespace std::chrono_literals;
            if (call.wait(1ms * request.count())) // true: cancelled, or too late; nobody wants the result
                return;
            const std::lock_guard held(mutex_);
            receipt.set_left(stock_[request.sku()] -= request.count());
        });
        // end-snippet

        // snippet: changes
        server_.server_stream(changes, [](const ChangesRequest &request, auto &items) {
            Change change;
            change.set_sku(request.sku());
            int by = 0;
            do
                change.set_by(++by);
            while (items.write(change)); // waits until the reader wants it; false: the stream is over
        });
        // end-snippet

        // snippet: import
        server_.client_stream(import, [this](const auto &, ipc::rpc::stream_input<Item> &items, Totals &totals) {
            Item item;
            while (items.next(item)) {
                const std::lock_guard held(mutex_);
                stock_[item.sku()] = item.count();
                totals.set_items(totals.items() + 1);
                totals.set_pieces(totals.pieces() + item.count());
            }
        });
        // end-snippet

        // snippet: till
        server_.duplex(till, [this](const auto &, ipc::rpc::stream_input<Order> &orders, ipc::rpc::stream_writer<Receipt> &receipts) {
            Order one;
            Receipt receipt;
            do {
                if (!orders.next(one))
                    return;
                const std::lock_guard held(mutex_);
                receipt.set_left(stock_[one.sku()] -= one.count());
            } while (receipts.write(receipt));
        });
        // end-snippet

        // snippet: recount
        server_.unary(recount, [](const RecountRequest &, RecountResponse &response, ipc::rpc::progress_writer<RecountProgress> &progress) {
            RecountProgress percent;
            for (int done = 25; done <= 100; done += 25) {
                percent.set_progress(done);
                progress.report(percent);
            }
            response.set_result(2);
        });
        // end-snippet

        // snippet: watch
        server_.unary(watch, [](const WatchRequest &request, google::protobuf::Empty &, ipc::rpc::call_context &call) {
            Item item;
            item.set_sku(request.sku());
            item.set_count(request.below() - 1);
            call.caller().call(low, item); // on the client's own connection; may be kept and used later, too
        });
        // end-snippet

        // snippet: photo
        auto picture = std::make_shared<PhotoResponse>();
        picture->mutable_result()->resize(3 << 20);
        server_.unary(photo, [picture](const PhotoRequest &) -> std::shared_ptr<const PhotoResponse> {
            return picture; // sent from where it is; a later picture is another object
        });
        // end-snippet

        server_.one_way(note, [](const NoteRequest &) {});
        server_.start();
    }

  private:
    std::mutex mutex_;
    std::map<std::string, int> stock_;
    ipc::rpc::server server_; // last: stopped before what its handlers use goes
};

} // namespace snippets
#endif
