using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Sends the stream that a handler returns: its enumerator is moved on as long as there is credit and room in
/// the ring.</summary>
internal static class ItemPump
{
    /// <summary>Milliseconds between two looks at a full ring.</summary>
    private const int LongestPause = 16;

    /// <summary>Runs until the stream has ended in whatever way and the call is over. Throws nothing.</summary>
    /// <param name="call">Has its credit.</param>
    /// <param name="handler">What returns the stream.</param>
    /// <param name="state">Handed to it.</param>
    /// <param name="codec">Writes the items.</param>
    public static async Task Run<TState, TItem>(
        ServerCall call,
        Func<ServerCall, TState, IAsyncEnumerable<TItem>> handler,
        TState state,
        MessageCodec<TItem> codec)
    {
        call.EnterFlow(); // this is an asynchronous method: what it does to the flow ends with it
        try
        {
            IAsyncEnumerator<TItem> items = handler(call, state).GetAsyncEnumerator(call.Token);
            Exception? failure = null;
            try
            {
                await Send(call, items, codec).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // the caller gets it, before what disposing may throw
            catch (Exception e)
#pragma warning restore CA1031
            {
                failure = e;
            }

            try
            {
                await items.DisposeAsync().ConfigureAwait(false);
            }
#pragma warning disable CA1031 // the caller gets it
            catch (Exception e)
#pragma warning restore CA1031
            {
                failure ??= e;
            }

            if (failure is not null)
                call.Callee.Fail(call, failure);
            else
                call.Callee.AnswerEnd(call);
        }
#pragma warning disable CA1031 // the handler did not return a stream; the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            call.Callee.Fail(call, e);
        }
    }

    private static async Task Send<TItem>(ServerCall call, IAsyncEnumerator<TItem> items, MessageCodec<TItem> codec)
    {
        CalleeLink link = call.Callee.Link;
        StreamCredit credit = call.Credit!;
        CancellationToken cancellationToken = call.Token;
        var room = new RoomSpin(link.WaitMode);
        while (await Next(credit, items, cancellationToken).ConfigureAwait(false))
        {
            TItem item = items.Current;
            if (call.IsAnswered)
                throw new OperationCanceledException(cancellationToken); // its caller broke the rules, and was told so
            if (link.SendItem(call, codec, in item, out bool sent) is { } failure)
                throw new RpcCallException(failure.Status, failure.Text, failure.Inner);
            if (!sent && !SendSoon(call, in item, codec, room))
                await SendWhenRoom(call, item, codec, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Looks for room for a moment: a consumer that reads makes some.</summary>
    private static bool SendSoon<TItem>(ServerCall call, in TItem item, MessageCodec<TItem> codec, RoomSpin room)
    {
        if (!room.TryBegin())
            return false;
        while (room.Turn())
        {
            if (call.Callee.Link.SendItem(call, codec, in item, out bool sent) is { } failure)
                throw new RpcCallException(failure.Status, failure.Text, failure.Inner);
            if (!sent)
                continue;
            room.Found();
            return true;
        }

        return false;
    }

    /// <summary>The ring, or the part of it that streams may have, is full: only this stream waits, and for as long as
    /// it takes.</summary>
    private static async Task SendWhenRoom<TItem>(
        ServerCall call, TItem item, MessageCodec<TItem> codec, CancellationToken cancellationToken)
    {
        CalleeLink link = call.Callee.Link;
        for (int pause = 0; ; pause = LongerThan(pause))
        {
            await link.WhenRoom(pause, cancellationToken).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
            if (link.SendItem(call, codec, in item, out bool sent) is { } failure)
                throw new RpcCallException(failure.Status, failure.Text, failure.Inner);
            if (sent)
                return;
        }
    }

    /// <summary>The pause after this one. The first is none: the report of room may have come since the item was
    /// refused, and then nobody tells of it again.</summary>
    public static int LongerThan(int pause) => Math.Min(Math.Max(pause * 2, 1), LongestPause);

    private static ValueTask<bool> Next<TItem>(
        StreamCredit credit, IAsyncEnumerator<TItem> items, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested(); // also for enumerators that do not look at their token
        return credit.TryTake() ? items.MoveNextAsync() : NextAfterCredit(credit, items, cancellationToken);
    }

    private static async ValueTask<bool> NextAfterCredit<TItem>(
        StreamCredit credit, IAsyncEnumerator<TItem> items, CancellationToken cancellationToken)
    {
        await credit.TakeAsync(cancellationToken).ConfigureAwait(false);
        return await items.MoveNextAsync().ConfigureAwait(false);
    }
}
