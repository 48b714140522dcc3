using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <inheritdoc/>
internal sealed class Upload<TItem> : Upload
{
    private readonly IAsyncEnumerable<TItem> _source;
    private readonly MessageCodec<TItem> _codec;

    public Upload(IAsyncEnumerable<TItem> source, MessageCodec<TItem> codec)
    {
        _source = source;
        _codec = codec;
    }

    public override void Start(CallEngine engine, PendingCall call) => _ = Pump(engine, call, call.Slot, call.Use);

    private async Task Pump(CallEngine engine, PendingCall call, PendingSlot slot, uint use)
    {
        try
        {
            if (!await SendItems(engine, call, slot, use).ConfigureAwait(false))
                return;
            for (int pause = 1; call.Queued is { IsWaiting: true }; pause = ItemPump.LongerThan(pause))
                // an end must not overtake its request
                await engine.Link.WhenRoom(pause, Stopped).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (Stopped.IsCancellationRequested)
        {
            return; // the call has ended, and the source was told
        }
#pragma warning disable CA1031 // the caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            engine.EndCall(call, slot, use, RpcFailure.OfCaller(e));
            return;
        }

        if (slot.IsPending(out uint present) && present == use)
            engine.SendControl(FrameKind.End, ((ulong)use << 32) | slot.Number);
    }

    /// <summary>Whoever consumes the answers of a call with streams both ways may not be waiting for any: then nobody
    /// else reads the frame that gives more.</summary>
    private async Task TakeCredit(RpcLink link)
    {
        link.AddAwaited();
        try
        {
            Task taken = Credit.TakeAsync(Stopped);
            link.WakeReader();
            await taken.ConfigureAwait(false);
        }
        finally
        {
            link.RemoveAwaited();
        }
    }

    /// <returns>Whether the source was exhausted; if not, the call ended first.</returns>
    private async Task<bool> SendItems(CallEngine engine, PendingCall call, PendingSlot slot, uint use)
    {
        IAsyncEnumerator<TItem> items = _source.GetAsyncEnumerator(Stopped);
        var room = new RoomSpin(engine.Link.WaitMode);
        try
        {
            while (true)
            {
                if (!Credit.TryTake())
                    await TakeCredit(engine.Link).ConfigureAwait(false);
                if (!await items.MoveNextAsync().ConfigureAwait(false))
                    return true;
                TItem item = items.Current;
                ItemOutcome outcome = engine.TrySendItem(call, slot, use, _codec, in item, Credit, Stopped);
                if (outcome == ItemOutcome.NoRoom && room.TryBegin())
                {
                    while (outcome == ItemOutcome.NoRoom && room.Turn())
                        outcome = engine.TrySendItem(call, slot, use, _codec, in item, Credit, Stopped);
                    if (outcome == ItemOutcome.Sent)
                        room.Found();
                }

                for (int pause = 0; outcome == ItemOutcome.NoRoom; pause = ItemPump.LongerThan(pause))
                {
                    await engine.Link.WhenRoom(pause, Stopped).ConfigureAwait(false);
                    outcome = engine.TrySendItem(call, slot, use, _codec, in item, Credit, Stopped);
                }

                if (outcome == ItemOutcome.Over)
                    return false;
            }
        }
        finally
        {
            await items.DisposeAsync().ConfigureAwait(false);
        }
    }
}
