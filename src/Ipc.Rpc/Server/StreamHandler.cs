using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>A handler that returns a stream: its enumerator is moved on as long as there is credit and room in the ring.</summary>
internal sealed class StreamHandler<TRequest, TItem> : RpcHandler<TRequest, TItem>
{
    private readonly Func<TRequest, CancellationToken, IAsyncEnumerable<TItem>> _handler;

    public StreamHandler(RpcMethod<TRequest, TItem> method, Func<TRequest, CancellationToken, IAsyncEnumerable<TItem>> handler)
        : base(method, RpcMethodKind.ServerStream) => _handler = handler ?? throw new ArgumentNullException(nameof(handler));

    private protected override void Run(ServerConnection connection, ServerCall call, TRequest request)
    {
        call.Credit = new StreamCredit(call.Header.Code);
        connection.Track(call);
        _ = Pump(connection, call, request);
    }

    private async Task Pump(ServerConnection connection, ServerCall call, TRequest request)
    {
        try
        {
            if (call.Header.Deadline != 0)
                RpcDeadline.Flow(call.Header.Deadline);
            IAsyncEnumerator<TItem> items = _handler(request, call.Token).GetAsyncEnumerator(call.Token);
            try
            {
                StreamCredit credit = call.Credit!;
                while (await Next(credit, items, call.Token).ConfigureAwait(false))
                {
                    TItem item = items.Current;
                    if (!connection.Send(FrameKind.Item, call.Header, Typed, in item))
                        return; // it was an error instead: too large, or it could not be encoded
                    if (connection.IsCongested)
                        await connection.Flushed().ConfigureAwait(false);
                }
            }
            finally
            {
                await items.DisposeAsync().ConfigureAwait(false);
            }

            connection.SendEnd(call.Header);
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            Fail(connection, call, e);
        }
        finally
        {
            connection.Finish(call);
        }
    }

    private static ValueTask<bool> Next(StreamCredit credit, IAsyncEnumerator<TItem> items, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested(); // also for enumerators that do not look at their token
        return credit.TryTake() ? items.MoveNextAsync() : NextAfterCredit(credit, items, cancel);
    }

    private static async ValueTask<bool> NextAfterCredit(StreamCredit credit, IAsyncEnumerator<TItem> items, CancellationToken cancel)
    {
        await credit.TakeAsync(cancel).ConfigureAwait(false);
        return await items.MoveNextAsync().ConfigureAwait(false);
    }
}
