using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer;

/// <summary>One method for everything that the tests ask of a server.</summary>
[IpcService("test.v1")]
public interface ITestService
{
    /// <summary>Returns what it gets.</summary>
    Message Echo(Message request);

    ValueTask<Message> EchoAsync(Message request, CancellationToken cancel = default);

    int Add(int left, int right);

    ValueTask<int> AddAsync(int left, int right, CancellationToken cancel = default);

    void Nothing();

    Task NothingAsync(CancellationToken cancel = default);

    /// <summary>A response of so many bytes.</summary>
    byte[] Blob(int size);

    /// <summary>Throws what the text names.</summary>
    int Throw(string what);

    /// <summary>Holds its thread until the gate is opened or its token fires.</summary>
    int Block(string gate, CancellationToken cancel = default);

    ValueTask<int> BlockAsync(string gate, CancellationToken cancel = default);

    /// <summary>Waits without a thread until the gate is opened or its token fires.</summary>
    ValueTask<int> WaitAsync(string gate, CancellationToken cancel = default);

    /// <summary>Milliseconds left of the deadline that a call made by this handler would have; -1 for none.</summary>
    ValueTask<double> RemainingAsync(CancellationToken cancel = default);

    /// <summary>Counts up.</summary>
    IAsyncEnumerable<int> Count(int first, int count, CancellationToken cancel = default);

    /// <summary>Items of some size, then a failure.</summary>
    IAsyncEnumerable<byte[]> Blobs(int size, int count, string failure, CancellationToken cancel = default);
}
