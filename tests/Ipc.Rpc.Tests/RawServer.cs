using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A server made of nothing but a listener: it accepts one client and answers with what it is told to, right or wrong.</summary>
internal sealed class RawServer : IDisposable
{
    private readonly Listener _listener;
    private Connection? _connection;
    private Connection? _asked;
    private FrameHeader? _ahead;
    private byte[] _body = [];

    /// <param name="name">Of a server before it; <see langword="null"/> for a new one.</param>
    public RawServer(string? name = null)
    {
        Name = name ?? TestServer.NewName();
        _listener = Listener.Open(Name);
    }

    public string Name { get; }

    public Connection Connection => _connection!;

    /// <summary>On a thread of its own: who connects meanwhile may keep a thread of the pool, which has no other one for
    /// a while where processors are few.</summary>
    public Task AcceptAside() =>
        Task.Factory.StartNew(Accept, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public void Accept()
    {
        Assert.Equal(IpcStatus.Ok, _listener.Next(out ListenerEvent next, Deadline.After(Eventually.Watchdog)));
        Assert.Equal(ListenerEventKind.Connect, next.Kind);
        _connection = next.Connection;
        _connection.Accept();
    }

    /// <summary>Whether a client waits for an answer to its request to connect.</summary>
    public bool HasRequest
    {
        get
        {
            while (_asked is not { IsOpen: true })
            {
                _asked?.Dispose(); // gave up
                _asked = null;
                if (_listener.Next(out ListenerEvent next, Deadline.Now) != IpcStatus.Ok)
                    return false;
                _asked = next.Connection;
            }

            return true;
        }
    }

    /// <summary>Accepts a client, unless one has been accepted before and is still there.</summary>
    /// <returns>Whether there is one.</returns>
    public bool TryAccept()
    {
        if (_connection is { IsOpen: false })
        {
            _connection.Dispose(); // it was giving up when it was accepted
            _connection = null;
        }

        if (_connection is null && HasRequest)
        {
            _connection = _asked;
            _asked = null;
            _connection!.Accept();
        }

        return _connection is not null;
    }

    /// <summary>Whether the client has published a frame that was not received yet.</summary>
    public bool HasFrame => (_ahead ??= TryReceive(out FrameHeader header) ? header : null) is not null;

    /// <summary>Whether the client has published a frame; it stays where it is.</summary>
    public bool HasUnread => _connection!.Reader.Wait(Deadline.Now) == IpcStatus.Ok;

    /// <summary>Ends in good order, having handled what lies before that position of the client's ring.</summary>
    public void End(long handledTo)
    {
        _connection!.Shutdown(CloseCode.Shutdown, "The server stopped.", handledTo);
        Dispose();
    }

    /// <summary>Waits for the next frame of the client.</summary>
    public FrameHeader Receive()
    {
        Eventually.True(() => HasFrame, "the client sends a frame");
        FrameHeader header = _ahead!.Value;
        _ahead = null;
        return header;
    }

    /// <summary>Waits for the next frame of the client.</summary>
    public FrameHeader Receive(out byte[] body)
    {
        FrameHeader header = Receive();
        body = _body;
        return header;
    }

    public void Send(FrameHeader header, params byte[] body)
    {
        var frame = new byte[FrameHeader.Size + body.Length];
        header.WriteTo(frame);
        body.CopyTo(frame, FrameHeader.Size);
        SendRecord(frame);
    }

    /// <summary>Answers the next request.</summary>
    /// <returns>Whether that was before its deadline; if not, it is not answered.</returns>
    public bool TryAnswerInTime(byte[] body, out Deadline deadline)
    {
        FrameHeader request;
        do
            request = Receive();
        while (request.Kind != FrameKind.Request);
        deadline = Deadline.FromNanoseconds(request.Deadline);
        if (deadline.HasPassed)
            return false;
        Send(new FrameHeader(FrameKind.Response, request.Call), body);
        return !deadline.HasPassed;
    }

    public void SendRecord(byte[] bytes, ushort type = FrameHeader.RecordType) => Assert.True(_connection!.Writer.TryWrite(bytes, type));

    public void Dispose()
    {
        _connection?.Dispose();
        _asked?.Dispose();
        _listener.Dispose();
    }

    private bool TryReceive(out FrameHeader header)
    {
        header = default;
        if (!_connection!.Reader.TryRead(out RingRecord record))
            return false;

        Assert.Null(FrameHeader.TryRead(record.Type, record.Payload, fromClient: true, out header));
        _body = record.Payload.Slice(FrameHeader.Size).ToArray();
        _connection.Reader.Release();
        return true;
    }
}
