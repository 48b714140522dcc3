using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;

namespace Ipc.Grpc;

/// <summary>The stream of a gRPC client, as an Ipc client sends it: each item is read when the server has room for
/// it.</summary>
/// <remarks>An Ipc call does not wait for its caller's stream when it is over. But nothing may touch a request of
/// ASP.NET Core after its end, so <see cref="EndAsync"/> does.</remarks>
internal sealed class RequestItems(IAsyncStreamReader<Payload> reader) : IAsyncEnumerable<Payload>
{
    private readonly object _gate = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _hasBegun;
    private bool _isClosed;

    public async IAsyncEnumerator<Payload> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        lock (_gate)
        {
            if (_isClosed)
                yield break; // the call was over before it began
            _hasBegun = true;
        }

        try
        {
            while (await reader.MoveNext(cancellationToken).ConfigureAwait(false))
            {
                using Payload item = reader.Current; // in the ring when the next one is asked for
                yield return item;
            }
        }
        finally
        {
            _ended.SetResult();
        }
    }

    /// <summary>Completes when nothing reads the stream any more, nor will. The call has ended, so its reading has been
    /// cancelled.</summary>
    public Task EndAsync()
    {
        lock (_gate)
        {
            _isClosed = true;
            return _hasBegun ? _ended.Task : Task.CompletedTask;
        }
    }
}
