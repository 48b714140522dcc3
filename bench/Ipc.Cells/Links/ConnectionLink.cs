using System;
using System.Threading.Tasks;

namespace Ipc.Matrix.Cells;

/// <summary>A connection and its listener; the server accepts one and waits for it alone.</summary>
internal class ConnectionLink : ByteLink
{
    private Listener? _listener;
    private Task? _accepting; // whoever connects waits for it, and the answering process is to be ready before that one starts
    private Connection? _connection;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        if (side == Side.Answering)
        {
            _listener = Listener.Open(name, new ListenerOptions { WaitMode = wait, MaxRingCapacity = Links.Capacity });
            _accepting = Task.Run(Accept);
            return;
        }

        _connection = Connection.Connect(name, new ConnectOptions
        {
            WaitMode = wait,
            ToClientCapacity = Links.Capacity,
            ToServerCapacity = Links.Capacity,
            Deadline = Deadline.After(Patience),
        });
    }

    public override void Prepare(Work work)
    {
        _accepting?.GetAwaiter().GetResult();
        _accepting = null;
    }

    public override void Dispose()
    {
        _connection?.Dispose();
        _listener?.Dispose();
    }

    protected override void Send(ReadOnlySpan<byte> bytes, bool more) => Links.Send(_connection!.Writer, bytes, more);

    protected override void Flush() => _connection!.Writer.Flush();

    protected override ReadOnlySpan<byte> Receive() => Links.Receive(_connection!.Reader);

    protected override void Release() => _connection!.Reader.Release();

    private void Accept() => Check(_listener!.Accept(out _connection, Deadline.After(Patience)));
}
