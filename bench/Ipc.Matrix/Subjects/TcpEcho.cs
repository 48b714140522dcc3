using System;
using System.Globalization;
using System.IO;
using Ipc.Tcp;

namespace Ipc.Matrix;

/// <summary>A record there and back over a connection through an exit and an entrance, each in the process of its side.</summary>
internal sealed class TcpEcho(int count, WaitMode mode, bool isNamed) : Subject(count)
{
    private readonly byte[] _bytes = new byte[64];
    private Listener? _listener;
    private NamedListener? _namedListener;
    private TcpEntrance? _entrance;
    private TcpExit? _exit;
    private Connection? _connection;
    private NamedConnection? _named;
    private string _portFile = "";

    public override void Open(string name, Side side)
    {
        _portFile = Path.Combine(Path.GetTempPath(), $"ipc-tcp-echo-{name}.port");
        if (side == Side.Answering)
        {
            if (isNamed)
                _namedListener = NamedListener.Open(name, new NamedListenerOptions { WaitMode = mode });
            else
                _listener = Listener.Open(name, new ListenerOptions { WaitMode = mode });
            _entrance = TcpEntrance.Open(new TcpEntranceOptions
            {
                Allows = asked => asked == name,
                Connections = new ConnectOptions { WaitMode = mode },
                NamedConnections = new NamedConnectionOptions { WaitMode = mode },
            });
            File.WriteAllText(_portFile, _entrance.Endpoint.Port.ToString(CultureInfo.InvariantCulture));
            return;
        }

        string address = $"tcp:127.0.0.1:{File.ReadAllText(_portFile)}/{name}", here = name + "-exit";
        var options = new TcpExitOptions { Listener = new ListenerOptions { WaitMode = mode }, NamedListener = new NamedListenerOptions { WaitMode = mode } };
        _exit = isNamed ? TcpExit.OpenNamed(here, address, options) : TcpExit.Open(here, address, options);
        if (isNamed)
            _named = NamedConnection.Open(here, "client", new NamedConnectionOptions { WaitMode = mode });
    }

    public override double Measure(int count)
    {
        if (!isNamed) // the other side answers by now
            _connection ??= Connection.Connect(_exit!.Name, new ConnectOptions { WaitMode = mode });
        RoundTrip operation = new(this);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, Unit.Microseconds);
    }

    public override void Answer(int count)
    {
        for (int left = count + 1; left > 0;)
            left -= isNamed ? AnswerNamed() : AnswerPlain();
    }

    public override void Dispose()
    {
        _connection?.Dispose();
        _named?.Dispose();
        _exit?.Dispose();
        _entrance?.Dispose();
        _listener?.Dispose();
        _namedListener?.Dispose();
        if (_exit is null)
            File.Delete(_portFile);
        if (isNamed && (_exit?.Name ?? _namedListener?.Name) is { } server)
            NamedConnection.Remove(server, "client"); // each side what it has of the conversation
    }

    private int AnswerPlain()
    {
        Check(_listener!.Next(out ListenerEvent next, Deadline.After(TimeSpan.FromSeconds(10))));
        int answered = 0;
        if (next.Kind == ListenerEventKind.Connect)
            next.Connection.Accept();
        while (next.Kind == ListenerEventKind.Readable && next.Connection.Reader.TryRead(out RingRecord record))
        {
            Check(next.Connection.Writer.Write(record.Payload, 0, Deadline.Never));
            next.Connection.Reader.Release();
            answered++;
        }

        _listener.Return(next.Connection);
        return answered;
    }

    private int AnswerNamed()
    {
        Check(_namedListener!.Next(out NamedEvent next, Deadline.After(TimeSpan.FromSeconds(10))));
        int answered = 0;
        if (next.Kind == NamedEventKind.Login)
            next.Connection.Accept();
        if (next.Kind != NamedEventKind.Readable)
            return 0;
        while (next.Connection.TryReceive(out NamedMessage message))
        {
            next.Connection.Send(message.Payload);
            next.Connection.Acknowledge();
            answered++;
        }

        _namedListener.Return(next.Connection);
        return answered;
    }

    private void Echo()
    {
        if (_named is { } named)
        {
            named.Send(_bytes);
            Check(named.Receive(out _, Deadline.After(TimeSpan.FromSeconds(10))));
            named.Acknowledge();
            return;
        }

        Check(_connection!.Writer.Write(_bytes, 0, Deadline.Never));
        Check(_connection.Reader.Read(out _, Deadline.After(TimeSpan.FromSeconds(10))));
        _connection.Reader.Release();
    }

    private static void Check(IpcStatus status)
    {
        if (status != IpcStatus.Ok)
            throw new InvalidOperationException($"the echo ended with {status}");
    }

    private readonly struct RoundTrip(TcpEcho echo) : IOperation
    {
        public void Run() => echo.Echo();
    }
}
