using System;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Reading.</content>
internal sealed partial class ServerConnection
{
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
