using System;
using System.Text;

namespace Ipc.Peer.Drive;

/// <summary>The commands of named connections.</summary>
internal sealed partial class Driver
{
    private string? Named()
    {
        switch (_line.Word(0))
        {
            case "open-named":
                _objects[_line.Id] = NamedConnection.Open(_line.Word(2), _line.Word(3), NamedOptions());
                return "0";
            case "open-named-listener":
                _objects[_line.Id] = NamedListener.Open(_line.Word(2), new NamedListenerOptions { Identity = _line.Option("identity"), WaitMode = _line.WaitMode });
                return "0";
            case "named-login": return Status(Get<NamedConnection>(_line.Id).TryConnect(_line.Deadline));
            case "named-next": return NextNamed();
            case "named-accept":
                Get<NamedConnection>(_line.Id).Accept(Encoding.UTF8.GetBytes(_line.Rest(2)));
                return "0";
            case "named-refuse":
                Get<NamedConnection>(_line.Id).Refuse(_line.Rest(2));
                _objects.Remove(_line.Id);
                return "0";
            case "named-return":
                Get<NamedListener>(_line.Id).Return(Get<NamedConnection>(_line.Int(2)));
                return "0";
            case "named-attach":
                if (!Get<NamedListener>(_line.Id).TryOpen(_line.Word(2), out NamedConnection? attached))
                    return Status(IpcStatus.NotFound);
                return $"0 connection={IdOf(attached!)}";
            case "named-send": return SendNamed(Get<NamedConnection>(_line.Id));
            case "named-receive": return ReceiveNamed(Get<NamedConnection>(_line.Id));
            case "named-acknowledge":
                Get<NamedConnection>(_line.Id).Acknowledge(_line.Word(2).Length == 0 ? long.MaxValue : _line.Long(2));
                return $"0 acknowledged={Get<NamedConnection>(_line.Id).LastAcknowledged}";
            case "named-state": return StateOfNamed(Get<NamedConnection>(_line.Id));
            case "named-close":
                Get<NamedConnection>(_line.Id).Close((CloseCode)_line.Int(2), _line.Rest(3));
                _objects.Remove(_line.Id);
                return "0";
            case "named-remove": return NamedConnection.Remove(_line.Word(1), _line.Word(2)) ? "0" : Status(IpcStatus.NotFound);
            default: return null;
        }
    }

    private NamedConnectionOptions NamedOptions()
    {
        var options = new NamedConnectionOptions { WaitMode = _line.WaitMode, LoanBudget = RingBudget(), Reconnect = _line.Number("reconnect", 1) != 0 };
        if (_line.Option("to_server") != null)
            options.ToServerCapacity = _line.Number("to_server", 0);
        if (_line.Option("to_client") != null)
            options.ToClientCapacity = _line.Number("to_client", 0);
        if (_line.Option("login") is { } login)
            options.Login = Encoding.UTF8.GetBytes(login);
        return options;
    }

    /// <summary>A connection that a listener hands out keeps its number.</summary>
    private int IdOf(NamedConnection connection)
    {
        foreach ((int known, object value) in _objects)
        {
            if (ReferenceEquals(value, connection))
                return known;
        }

        int id = FirstLent;
        while (_objects.ContainsKey(id))
            id++;
        _objects[id] = connection;
        return id;
    }

    private string NextNamed()
    {
        IpcStatus status = Get<NamedListener>(_line.Id).Next(out NamedEvent found, _line.Deadline);
        return status != IpcStatus.Ok
            ? Status(status)
            : $"0 kind={(int)found.Kind} connection={IdOf(found.Connection)} reason={(int)found.Reason} code={(int)found.Code} | {found.Connection.ClientName} {Utf8(found.Connection.ReadLogin())}";
    }

    /// <summary>named-send ID LENGTH: the content is the numbered one of its sequence.</summary>
    private string SendNamed(NamedConnection connection)
    {
        IpcStatus status = connection.Claim((int)_line.Long(2), out Span<byte> payload, _line.Deadline);
        if (status != IpcStatus.Ok)
            return Status(status);
        Content.FillNumbered(payload, (ulong)connection.LastSent + 1);
        return $"0 sequence={connection.Commit(payload.Length, 7)}";
    }

    private string ReceiveNamed(NamedConnection connection)
    {
        IpcStatus status = connection.Receive(out NamedMessage message, _line.Deadline);
        if (status != IpcStatus.Ok)
            return Status(status);
        bool right = Content.IsNumbered(message.Payload, out ulong number) && number == (ulong)message.Sequence && message.Type == 7;
        return $"{(right ? 0 : 100)} sequence={message.Sequence} redelivered={(message.Redelivered ? 1 : 0)} length={message.Payload.Length}";
    }

    private static string StateOfNamed(NamedConnection connection) =>
        $"0 connected={(connection.IsConnected ? 1 : 0)} sent={connection.LastSent} received={connection.LastReceived} acknowledged={connection.LastAcknowledged} " +
        $"outstanding={connection.Unacknowledged} | {connection.Identity} {Utf8(connection.ReadReply())}";
}
