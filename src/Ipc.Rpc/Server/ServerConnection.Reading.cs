using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Reading requests, and the calls that are being handled.</content>
internal sealed partial class ServerConnection
{
    /// <summary>Reads and handles up to <paramref name="budget"/> frames. The caller leads and has this connection.</summary>
    public DrainResult Drain(Leader leader, int budget)
    {
        for (int handled = 0; handled < budget; handled++)
        {
            if (Volatile.Read(ref _closed) || (IsCongested && TryPark()))
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

    /// <summary>The request has been decoded: its place in the ring is free.</summary>
    public void ReleaseRequest() => _requests.Release();

    /// <summary>A call for a request that was just read. By the leader.</summary>
    public ServerCall Begin(in FrameHeader header)
    {
        ServerCall call = Interlocked.Exchange(ref _spare, null) ?? new ServerCall(this);
        call.Begin(in header);
        return call;
    }

    /// <summary>Lets frames find the call, and its deadline end it: it is not over at once.</summary>
    public void Track(ServerCall call)
    {
        bool closed;
        lock (_calls)
        {
            if (call.IsFinished || call.IsTracked)
                return;

            call.IsTracked = true;
            _calls[call.Header.Call] = call;
            call.ArmDeadline();
            closed = Volatile.Read(ref _closed); // [closed] after adding: whoever closes looks here after saying so
        }

        if (closed)
            call.Cancel();
    }

    /// <summary>The call has been answered.</summary>
    public void Finish(ServerCall call)
    {
        bool tracked;
        lock (_calls)
        {
            call.IsFinished = true;
            tracked = call.IsTracked;
            if (tracked)
            {
                _calls.Remove(call.Header.Call);
                call.IsTracked = false;
            }
        }

        if (tracked || !call.TryReset())
            call.Dispose();
        else
            Volatile.Write(ref _spare, call);
    }

    public bool HasCalls
    {
        get
        {
            lock (_calls)
                return _calls.Count != 0;
        }
    }

    private string? Handle(Leader leader, in RingRecord record, out bool leading)
    {
        leading = true;
        ReadOnlySpan<byte> frame = record.Payload;
        string? wrong = FrameHeader.TryRead(record.Type, frame, fromClient: true, out FrameHeader header);
        if (wrong is not null)
            return wrong;

        ReadOnlySpan<byte> body = frame.Slice(FrameHeader.Size);
        switch (header.Kind)
        {
            case FrameKind.Request:
                return HandleRequest(leader, in header, body, out leading);
            case FrameKind.Cancel:
                _requests.Release();
                Find(header.Call)?.Cancel();
                return null;
            case FrameKind.Credit:
                _requests.Release();
                return Find(header.Call)?.Credit is { } credit && !credit.Give(header.Method)
                    ? "A credit frame gives " + header.Method + " items beyond what can be counted."
                    : null;
            case FrameKind.Ping:
                Pong(header, body);
                _requests.Release();
                return null;
            default:
                _requests.Release();
                return null;
        }
    }

    private string? HandleRequest(Leader leader, in FrameHeader header, ReadOnlySpan<byte> body, out bool leading)
    {
        leading = true;
        lock (_calls)
        {
            if (_calls.Count != 0 && _calls.ContainsKey(header.Call))
                return "A request has the id of a call that is pending: " + header.Call + ".";
        }

        if (_server.Find(header.Method) is not { } handler)
        {
            _requests.Release();
            SendError(header, RpcStatus.Unimplemented, null, _server.DescribeUnknown(header.Method));
        }
        else if (_calls.Count >= _server.Options.MaxPendingCalls)
        {
            _requests.Release();
            SendError(header, RpcStatus.ResourceExhausted, null, "This connection has " + _server.Options.MaxPendingCalls + " calls pending (RpcServerOptions.MaxPendingCalls).");
        }
        else if (_server.IsDraining)
        {
            _requests.Release();
            SendError(header, RpcStatus.Unavailable, null, "The server is stopping and takes no further calls.");
        }
        else
        {
            leading = handler.Handle(leader, this, in header, body);
        }

        return null;
    }

    private ServerCall? Find(ulong call)
    {
        lock (_calls)
            return _calls.TryGetValue(call, out ServerCall? found) ? found : null;
    }

    private void CancelAll()
    {
        List<ServerCall> calls;
        lock (_calls) // [closed]
            calls = new List<ServerCall>(_calls.Values);
        foreach (ServerCall call in calls)
            call.Cancel();
    }
}
