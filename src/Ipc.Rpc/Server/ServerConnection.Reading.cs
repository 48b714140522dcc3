using System;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Reading.</content>
internal sealed partial class ServerConnection
{
    private const int AsideTimes = 8; // what one observation is good for

    private int _asideTimes; // this and the next: the leader's
    private bool _wasLong;

    /// <summary>Another connection's request was found waiting behind one of this.</summary>
    public void IsInTheWay() => _asideTimes = AsideTimes;

    /// <summary>Notes how long its requests took this time.</summary>
    /// <returns>Whether they took long the last two times: once may be the collector's doing, or the scheduler's.</returns>
    public bool IsOftenLong(bool isLong)
    {
        bool before = _wasLong;
        _wasLong = isLong;
        return before && isLong;
    }

    /// <summary>Has another thread read it, if it is in the way of others and has a request. The leader calls, and forgets it then.</summary>
    public bool TryGoAside(Crew crew)
    {
        if (_asideTimes == 0 || _requests.Wait(Deadline.Now) != IpcStatus.Ok || !crew.TryReadAside(this))
            return false;

        _asideTimes--;
        return true;
    }

    /// <summary>Reads and handles up to <paramref name="budget"/> frames. The caller leads and has this connection.</summary>
    public DrainResult Drain(Leader leader, int budget)
    {
        for (int handled = 0; handled < budget; handled++)
        {
            if (Volatile.Read(ref _closed) || ((IsCongested || Callee.MustWait) && TryPark()))
                return DrainResult.Gone;

            string? wrong;
            bool leading = true;
            try
            {
                if (!_requests.TryRead(out RingRecord record))
                    return handled == 0 ? DrainResult.Empty : DrainResult.Drained;

                wrong = Handle(leader, in record, out leading);
            }
            catch (CorruptRegionException e)
            {
                Close(CloseCode.Corrupt, e.Message);
                return DrainResult.Gone;
            }

            if (!leading)
                return DrainResult.Stolen;
            if (wrong is not null)
            {
                Close(CloseCode.Protocol, wrong);
                return DrainResult.Gone;
            }
        }

        return DrainResult.Drained;
    }

    /// <inheritdoc/>
    public override void ReleaseRequest() => _requests.Release();

    private string? Handle(Leader leader, in RingRecord record, out bool leading)
    {
        leading = true;
        ReadOnlySpan<byte> frame = record.Payload;
        Volatile.Write(ref _received, _received + frame.Length);
        string? wrong = FrameHeader.TryRead(record.Type, frame, fromClient: true, out FrameHeader header);
        if (wrong is not null)
            return wrong;

        ReadOnlySpan<byte> body = frame.Slice(FrameHeader.Size);
        if (header.Kind is FrameKind.Ping or FrameKind.Pong)
        {
            if (header.Kind == FrameKind.Ping)
                Pong(header, body);
            _requests.Release();
            return null;
        }

        if (!header.IsCallback)
            return Callee.OnFrame(leader, in header, body, out leading);

        wrong = Volatile.Read(ref _callbacks)?.OnFrame(in header, body);
        _requests.Release();
        return wrong;
    }
}
