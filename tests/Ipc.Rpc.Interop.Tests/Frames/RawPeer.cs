using System;
using System.Buffers.Binary;
using System.Text;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>One end of a connection that knows no RPC: it sends what it is told to, right or wrong, and shows what comes.</summary>
internal sealed class RawPeer : IDisposable
{
    private readonly Connection _connection;

    private RawPeer(Connection connection) => _connection = connection;

    /// <summary>What is received stays in the ring until <see cref="LetGo"/>: the other side can look how far it was read, and must not need to.</summary>
    public bool Holds { get; set; }

    public CloseCode PeerCloseCode => _connection.PeerCloseCode;

    public string? PeerCloseText => _connection.PeerCloseText;

    public static RawPeer Connect(string name) => new(Connection.Connect(name, new ConnectOptions { Deadline = Deadline.After(Repository.Watchdog) }));

    public static RawPeer Accept(Listener listener)
    {
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Deadline.After(Repository.Watchdog)));
        Assert.Equal(ListenerEventKind.Connect, next.Kind);
        next.Connection!.Accept();
        return new RawPeer(next.Connection);
    }

    /// <summary>Sends one record. Nothing happens once the other side has closed.</summary>
    public void Send(byte[] bytes, ushort recordType = 1)
    {
        IpcStatus status = _connection.Writer.Claim(bytes.Length, out Span<byte> payload, Deadline.After(Repository.Watchdog));
        if (status is IpcStatus.PeerClosed or IpcStatus.Closed)
            return;
        Assert.Equal(IpcStatus.Ok, status);
        bytes.CopyTo(payload);
        _connection.Writer.Commit(bytes.Length, recordType);
    }

    /// <summary>The next frame; <see langword="null"/> when the other side has closed.</summary>
    public Frame? Receive()
    {
        Deadline patience = Deadline.After(Repository.Watchdog);
        while (true)
        {
            // On the server's side the listener has the reader until there is something: so look, and look again.
            if (_connection.Reader.TryRead(out RingRecord record))
            {
                Assert.Equal(1, record.Type);
                Frame frame = Frame.Of(record.Payload);
                if (!Holds)
                    _connection.Reader.Release();
                return frame;
            }

            if (!_connection.IsOpen && !_connection.Reader.TryRead(out _))
                return null;
            Assert.False(patience.HasPassed, "the other side sends nothing and does not close");
            Thread.Sleep(1); // between two looks
        }
    }

    /// <summary>Releases what was held.</summary>
    public void LetGo() => _connection.Reader.Release();

    /// <summary>Drops what comes until the other side has closed.</summary>
    public void WaitUntilClosed()
    {
        while (Receive() is not null)
        {
        }
    }

    public void Dispose() => _connection.Dispose();

    /// <summary>A frame that has come.</summary>
    internal sealed record Frame(byte Kind, byte Flags, ushort Code, uint Method, ulong Call, ulong Deadline, byte[] Body)
    {
        public string Text => Encoding.Latin1.GetString(Body);

        public static Frame Of(ReadOnlySpan<byte> bytes) => new(
            bytes[0],
            bytes[1],
            BinaryPrimitives.ReadUInt16LittleEndian(bytes[2..]),
            BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..]),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[16..]),
            bytes[Wire.HeaderSize..].ToArray());

        public override string ToString() => $"kind {Kind} flags {Flags} code {Code} call {Call}";
    }
}
