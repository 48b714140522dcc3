using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer.Interop;

/// <summary>The contract of the tests between the languages, one method per shape of call: <c>tests/native/rpc/tests.proto</c> is generated from it, and the
/// C++ programs are built from that. What each method does is said there too, in <c>rpc_contract.hpp</c>; both implementations do the same.</summary>
[IpcService("tests.v1", Callback = typeof(ITestsBack))]
public interface ITests
{
    Blob Echo(Blob request);

    Task<Blob> EchoAsync(Blob request, CancellationToken cancel = default);

    /// <summary>Fails with the status and the text.</summary>
    Blob Fail(FailRequest request);

    /// <summary>The same, with a <see cref="Blob"/> of the text as a detail.</summary>
    Blob FailWith(FailRequest request);

    Task<Blob> SleepAsync(SleepRequest request, CancellationToken cancel = default);

    /// <summary>So many items of the pattern.</summary>
    IAsyncEnumerable<Blob> Count(CountRequest request, CancellationToken cancel = default);

    /// <summary>Takes items until they end, or <c>Count</c> of them when that is not 0; "items bytes". An item of 13 bytes fails it: OutOfRange, "unlucky".</summary>
    Task<Blob> CollectAsync(CountRequest request, IAsyncEnumerable<Blob> items, CancellationToken cancel = default);

    /// <summary>Sends every item back, as long as <see cref="CollectAsync"/> takes them. Fails as that does.</summary>
    IAsyncEnumerable<Blob> Mirror(CountRequest request, IAsyncEnumerable<Blob> items, CancellationToken cancel = default);

    [IpcOneWay]
    void Note(Blob request);

    /// <summary>How many notes there were, in decimal.</summary>
    Blob Noted(Blob request);

    /// <summary>Progress "1", "2" and so on, then the count as the response.</summary>
    Task<Blob> StepsAsync(CountRequest request, IProgress<Blob> progress, CancellationToken cancel = default);

    /// <summary>The request's metadata comes back as the answer's, its trace context (if anybody listens) as the response.</summary>
    Blob Labels(Blob request);

    /// <summary>Calls <see cref="ITestsBack.BackAsync"/> so many times, checks what comes back, and answers the count.</summary>
    Task<Blob> RelayAsync(CountRequest request, CancellationToken cancel = default);

    /// <summary>Reads <see cref="ITestsBack.Feed"/> to its end; answers how many items were right.</summary>
    Task<Blob> PullAsync(CountRequest request, CancellationToken cancel = default);

    /// <summary>How many milliseconds the handler has left, in decimal.</summary>
    Blob Remaining(Blob request);
}
