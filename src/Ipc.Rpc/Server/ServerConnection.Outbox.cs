using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <content>What waits for room in the client's ring.</content>
internal sealed partial class ServerConnection
{
    private void Enqueue(byte[] frame)
    {
        if (_overflown)
            return; // it is about to be closed
        _unsent += frame.Length;
        if (_unsent > _server.Options.MaxUnsentBytes)
        {
            _overflown = true;
            ThreadPool.UnsafeQueueUserWorkItem(static state => ((ServerConnection)state!).CloseOverflown(), this);
            return;
        }

        _outbox.Enqueue(frame);
        if (_congested)
            return;

        _congested = true;
        if (ExecutionContext.IsFlowSuppressed())
        {
            _ = FlushAsync();
            return;
        }

        using (ExecutionContext.SuppressFlow()) // it outlives the call whose answer found no room
            _ = FlushAsync();
    }

    private async Task FlushAsync()
    {
        for (int pause = 1; ; pause = Math.Min(pause * 2, LongestFlushPause))
        {
            // No thread may be kept here, and a ring tells only a sleeping thread that it has room: so we look, less
            // and less often.
            await Task.Delay(pause).ConfigureAwait(false);
            TaskCompletionSource<bool>? flushed;
            try
            {
                lock (_write)
                {
                    if (FlushSome())
                        pause = 1;
                    if (_closed)
                        return;
                    if (_outbox.Count != 0)
                        continue;

                    _congested = false;
                    flushed = _flushed;
                    _flushed = null;
                    Unpark();
                }
            }
            catch (CorruptRegionException e)
            {
                Close(CloseCode.Corrupt, e.Message);
                return;
            }

            flushed?.TrySetResult(true);
            return;
        }
    }

    private void CloseOverflown()
        => Close(
            CloseCode.Protocol,
            "The client does not read: more than " + _server.Options.MaxUnsentBytes +
            " bytes of answers wait for room (RpcServerOptions.MaxUnsentBytes).");

    /// <summary>Lends the connection out again if it is lent to nobody and nothing speaks against it. The caller holds
    /// the write lock.</summary>
    private void Unpark()
    {
        if (!_parked || _congested || (Callee.MustWait && !_clientGone))
            return;

        _parked = false;
        Return();
    }

    /// <summary>Sends from the outbox what fits into the ring. The caller holds the write lock.</summary>
    private bool FlushSome()
    {
        if (_closed)
            return false;

        int before = _outbox.Count;
        while (_outbox.Count != 0 && _builder.TrySend(_outbox.Peek()))
            _unsent -= _outbox.Dequeue().Length;
        bool progress = _outbox.Count != before;
        if (!_connection.IsOpen)
            _outbox.Clear(); // nobody reads this any more; the leader will be told
        return progress;
    }
}
