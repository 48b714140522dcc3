using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Matrix;

/// <summary>64 B there and back over a named connection; each message is numbered and acknowledged. As bench/native/named.c.</summary>
internal sealed class NamedEcho(int count) : Subject(count)
{
    private const string Client = "client";
    private const int Small = 64;

    private readonly byte[] _bytes = new byte[Small];
    private string _name = "";
    private NamedListener? _listener;
    private NamedConnection? _connection;

    public override void Open(string name, Side side)
    {
        _name = name;
        if (side == Side.Measuring)
            _connection = NamedConnection.Open(name, Client, new NamedConnectionOptions { WaitMode = WaitMode.Spin });
        else
            _listener = NamedListener.Open(name, new NamedListenerOptions { WaitMode = WaitMode.Spin });
    }

    public override double Measure(int count)
    {
        // A claim alone gives the server 20 ms to let us in. The first answer of a new process takes longer, and it would then read from a session that we have given up.
        _connection!.Connect(TimeSpan.FromSeconds(10));
        RoundTrip operation = new(this);
        return PerOperation(count, ref operation);
    }

    public override void Answer(int count)
    {
        if (_connection is null) // the first round trip, which is not counted, logs in
        {
            Check(_listener!.Next(out NamedEvent login, Deadline.After(TimeSpan.FromSeconds(10))));
            _connection = login.Connection;
            _connection.Accept();
        }

        for (int i = 0; i <= count; i++)
        {
            Receive();
            Send();
        }
    }

    public override void Dispose()
    {
        _connection?.Dispose();
        _listener?.Dispose();
        if (_listener is not null) // the other one has left before
            NamedConnection.Remove(_name, Client);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Send()
    {
        Check(_connection!.Claim(Small, out Span<byte> payload, Deadline.Never));
        _bytes.CopyTo(payload);
        _connection.Commit(Small, 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Receive()
    {
        Check(_connection!.Receive(out NamedMessage message, Deadline.Never));
        message.Payload.CopyTo(_bytes);
        _connection.Acknowledge(message.Sequence);
    }

    private static void Check(IpcStatus status)
    {
        if (status != IpcStatus.Ok)
            throw new IOException($"The named connection ended: {status}.");
    }

    private readonly struct RoundTrip(NamedEcho echo) : IOperation
    {
        public void Run()
        {
            echo.Send();
            echo.Receive();
        }
    }
}
