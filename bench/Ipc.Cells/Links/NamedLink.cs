using System;

namespace Ipc.Matrix.Cells;

/// <summary>A named connection: each message is numbered and acknowledged.</summary>
internal sealed class NamedLink : ByteLink
{
    private const string Client = "client";

    private string _name = "";
    private NamedListener? _listener;
    private NamedConnection? _connection;
    private bool _isIn;
    private long _sequence;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        _name = name;
        if (side == Side.Answering)
        {
            _listener = NamedListener.Open(name, new NamedListenerOptions { WaitMode = wait, MaxRingCapacity = Links.Capacity });
            return;
        }

        _connection = NamedConnection.Open(name, Client, new NamedConnectionOptions
        {
            WaitMode = wait,
            ToClientCapacity = Links.Capacity,
            ToServerCapacity = Links.Capacity,
        });
    }

    public override void Prepare(Work work)
    {
        if (_isIn)
            return;
        _isIn = true;
        if (_listener is null)
        {
            _connection!.Connect(Patience);
            return;
        }

        Check(_listener.Next(out NamedEvent login, Deadline.After(Patience)));
        _connection = login.Connection;
        _connection.Accept();
    }

    public override void Dispose()
    {
        _connection?.Dispose();
        _listener?.Dispose();
        if (_listener is not null) // the other one has left before
            NamedConnection.Remove(_name, Client);
    }

    protected override void Send(ReadOnlySpan<byte> bytes, bool more)
    {
        Check(_connection!.Claim(bytes.Length, out Span<byte> payload, Deadline.After(Patience)));
        bytes.CopyTo(payload);
        if (more)
            _connection.CommitBatched(bytes.Length, 1);
        else
            _connection.Commit(bytes.Length, 1);
    }

    protected override void Flush() => _connection!.Flush();

    protected override ReadOnlySpan<byte> Receive()
    {
        Check(_connection!.Receive(out NamedMessage message, Deadline.After(Patience)));
        _sequence = message.Sequence;
        return message.Payload;
    }

    protected override void Release() => _connection!.Acknowledge(_sequence);
}
