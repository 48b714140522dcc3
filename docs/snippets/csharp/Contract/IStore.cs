using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using System;
using Ipc.Rpc;

namespace Snippets;

// snippet: contract
[IpcService("store.v1", Callback = typeof(IStoreAlerts))]
public interface IStore
{
    Item Get(string sku);                                                                            // one answer; the caller's thread waits
    Task<Receipt> OrderAsync(Order order, CancellationToken cancellationToken = default);                       // one answer, awaited
    IAsyncEnumerable<Change> Changes(string sku, CancellationToken cancellationToken = default);                // a stream from the server
    Task<Totals> ImportAsync(IAsyncEnumerable<Item> items, CancellationToken cancellationToken = default);      // a stream to the server
    IAsyncEnumerable<Receipt> Till(IAsyncEnumerable<Order> orders, CancellationToken cancellationToken = default); // both at once
    Task<int> RecountAsync(string shelf, IProgress<int> progress, CancellationToken cancellationToken = default);  // tells how far it is

    [IpcFault(typeof(OutOfStock))]
    Receipt Take(string sku, int count);                                                             // an error with a message of its own

    void Watch(string sku, int below);                                                               // the server calls back later

    byte[] Photo(string sku);                                                                        // large ones are read in place: docs/guide/sizing.md

    [IpcOneWay]
    void Note(string text);                                                                          // no answer
}
// end-snippet

// snippet: callback
[IpcService("store.alerts.v1")]
public interface IStoreAlerts
{
    void Low(Item item);
}
// end-snippet
