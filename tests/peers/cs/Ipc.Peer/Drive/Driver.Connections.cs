using System;
using System.Globalization;
using System.Text;
using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>The commands of listeners and connections.</summary>
internal sealed partial class Driver
{
    private string? Connect()
    {
        switch (_line.Word(0))
        {
            case "listen":
                _objects[_line.Id] = Listener.Open(_line.Word(2), ListenerOptions());
                return "0";
            case "next": return NextEvent();
            case "accept":
                Get<Connection>(_line.Id).Accept();
                return "0";
            case "refuse":
                Get<Connection>(_line.Id).Refuse(_line.Rest(2));
                _objects.Remove(_line.Id);
                return "0";
            case "return":
                Get<Listener>(_line.Id).Return(Get<Connection>(_line.Int(2)));
                return "0";
            case "shutdown":
                Get<Connection>(_line.Id).Shutdown((CloseCode)_line.Int(2), _line.Rest(3));
                return "0";
            case "connect":
                _objects[_line.Id] = _line.Option("steps") is null
                    ? Connection.Connect(_line.Word(2), ConnectOptions())
                    : Connection.ConnectAsync(_line.Word(2), ConnectOptions()).GetAwaiter().GetResult();
                return "0";
            case "state": return State(Get<Connection>(_line.Id));
            case "serve": return Serve(Get<Listener>(_line.Id));
            default: return null;
        }
    }

    /// <summary>budget=BYTES; without it a ring has no loans: its largest message is its own.</summary>
    private long RingBudget() => _line.Number("budget", 0);

    /// <summary>protocol=ID.VERSION.LEAST</summary>
    private ConnectionProtocol ProtocolOption()
    {
        if (_line.Option("protocol") is not { } text)
            return default;
        int[] parts = Array.ConvertAll(text.Split('.'), part => int.Parse(part, CultureInfo.InvariantCulture));
        return new ConnectionProtocol(parts[0], parts[1], parts[2]);
    }

    private ListenerOptions ListenerOptions()
    {
        var options = new ListenerOptions { WaitMode = _line.WaitMode, Access = _line.Access, Protocol = ProtocolOption() };
        options.TakeOver = _line.Number("follow", 0) != 0;
        if (_line.Option("max") != null)
            options.MaxConnections = (int)_line.Number("max", 0);
        if (_line.Option("limit") != null)
            options.MaxRingCapacity = _line.Number("limit", 0);
        if (_line.Option("budget_limit") != null)
            options.MaxLoanBudget = _line.Number("budget_limit", 0);
        return options;
    }

    private ConnectOptions ConnectOptions()
    {
        var options = new ConnectOptions { WaitMode = _line.WaitMode, Access = _line.Access, Protocol = ProtocolOption() };
        if (_line.Waits)
            options.Deadline = _line.Deadline;
        if (_line.Option("to_server") != null)
            options.ToServerCapacity = _line.Number("to_server", 0);
        if (_line.Option("to_client") != null)
            options.ToClientCapacity = _line.Number("to_client", 0);
        options.LoanBudget = RingBudget();
        if (_line.Option("hello") is { } hello)
            options.Hello = Encoding.UTF8.GetBytes(hello);
        return options;
    }

    private string NextEvent()
    {
        IpcStatus status = Get<Listener>(_line.Id).Next(out ListenerEvent found, _line.Deadline);
        if (status != IpcStatus.Ok)
            return Status(status);
        if (found.Kind == ListenerEventKind.Followed)
            return $"0 kind={(int)found.Kind} connection=0 followed={(Get<Listener>(_line.Id).IsFollowed ? 1 : 0)}";
        Connection connection = found.Connection;
        if (connection.Context is not int id)
        {
            for (id = FirstLent; _objects.ContainsKey(id);)
                id++;
            connection.Context = id;
            _objects[id] = connection;
        }
        return $"0 kind={(int)found.Kind} connection={id} slot={connection.Slot} pid={connection.PeerProcessId} user={connection.PeerUserId} version={connection.ProtocolVersion} | {Utf8(connection.Hello.Span)}";
    }

    private static string State(Connection connection) =>
        $"0 open={(connection.IsOpen ? 1 : 0)} code={(int)connection.PeerCloseCode} slot={connection.Slot} pid={connection.PeerProcessId} user={connection.PeerUserId} version={connection.ProtocolVersion} | {connection.PeerCloseText}";

    /// <summary>
    /// serve ID timeout=MS: an echo service until a client sends a record of type 65535. A broken connection ends, the others
    /// go on.
    /// </summary>
    private string Serve(Listener listener)
    {
        Deadline until = _line.Deadline;
        int accepted = 0, closed = 0, broken = 0;
        bool end = false;
        while (!end)
        {
            IpcStatus status = listener.Next(out ListenerEvent found, until);
            if (status != IpcStatus.Ok)
                return $"{(int)status} accepted={accepted} closed={closed} broken={broken}";
            if (found.Kind == ListenerEventKind.Followed)
                continue;
            Connection connection = found.Connection;
            try
            {
                switch (found.Kind)
                {
                    case ListenerEventKind.Connect:
                        connection.Accept();
                        accepted++;
                        listener.Return(connection);
                        break;
                    case ListenerEventKind.Closed:
                        closed++;
                        connection.Dispose();
                        break;
                    default:
                        end = Echo(connection, until);
                        listener.Return(connection);
                        break;
                }
            }
            catch (IpcException)
            {
                broken++;
                connection.Dispose();
            }
        }
        return $"0 accepted={accepted} closed={closed} broken={broken}";
    }

    private static bool Echo(Connection connection, Deadline until)
    {
        bool end = false;
        while (connection.Reader.TryRead(out RingRecord record))
        {
            end |= record.Type == EndOfService;
            IpcStatus status = connection.Writer.Write(record.Payload, record.Type, until, CancellationToken.None);
            if (status != IpcStatus.Ok)
                throw new IpcException(status, "the echo could not be sent");
            connection.Reader.Release();
        }
        return end;
    }
}
