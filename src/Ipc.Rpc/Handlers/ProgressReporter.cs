using System;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>Sends reports of progress as long as the call lives; without room, only the newest is kept.</summary>
internal sealed class ProgressReporter<TProgress> : IProgress<TProgress>
{
    private readonly object _gate = new();
    private readonly ServerCall _call;
    private readonly MessageCodec<TProgress> _codec;
    private TProgress _newest = default!;
    private bool _hasNewest;
    private bool _waiting; // for room, to send the newest

    public ProgressReporter(ServerCall call, MessageCodec<TProgress> codec)
    {
        _call = call;
        _codec = codec;
    }

    /// <summary>Sends the report now, or as soon as there is room unless a newer one or the answer comes first. Does
    /// not wait for room.</summary>
    /// <exception cref="RpcCallException">It cannot be encoded, or is too large.</exception>
    public void Report(TProgress value)
    {
        lock (_gate)
        {
            if (_call.IsAnswered || _call.Header.IsOneWay)
                return;

            if (!_waiting && !_call.Callee.Link.IsCongested)
            {
                Send(value);
                return;
            }

            _newest = value;
            _hasNewest = true;
            if (_waiting)
                return;
            _waiting = true;
        }

        _ = SendWhenThereIsRoom();
    }

    private async Task SendWhenThereIsRoom()
    {
        while (true)
        {
            await _call.Callee.Link.Flushed().ConfigureAwait(false);
            RpcCallException? failed = null;
            lock (_gate)
            {
                if (_call.IsAnswered)
                    return;
                if (_call.Callee.Link.IsCongested)
                    continue;

                TProgress newest = _newest;
                bool has = _hasNewest;
                _newest = default!;
                _hasNewest = false;
                _waiting = false;
                if (!has)
                    return;
                try
                {
                    Send(newest);
                }
                catch (RpcCallException e)
                {
                    failed = e;
                }
            }

            if (failed is not null)
                _call.Callee.ProgressFailed(_call, failed);
            return;
        }
    }

    private void Send(TProgress value)
    {
        if (_call.Callee.Link.Send(FrameKind.Progress, _call, _codec, in value) is { } failure)
            throw new RpcCallException(failure.Status, failure.Text, failure.Inner);
    }
}
