using System;
using System.Threading;

namespace Ipc.Tool;

/// <summary>Where messages go: a queue, a ring (as its writer) or a topic that is there already.</summary>
/// <remarks>One thread. It takes part: it is in the region's table until it is disposed of.</remarks>
internal sealed class MessageSink : IDisposable
{
    private readonly IDisposable _end;

    private MessageSink(string name, string kind, IDisposable end)
    {
        Name = name;
        Kind = kind;
        _end = end;
    }

    public string Name { get; }

    public string Kind { get; }

    /// <summary>The longest message that it takes.</summary>
    public int MaxPayload => _end switch { SharedQueue queue => queue.MaxPayload, TopicWriter topic => topic.MaxPayload, _ => ((RingWriter)_end).MaxPayload };

    /// <summary>Ends the verb with what is wrong, if it cannot be joined.</summary>
    public static MessageSink Open(RegionReport report, CancellationToken cancel)
    {
        Joining.RequireMessages(report);
        return Joining.Try(() => new MessageSink(report.Name, report.Kind!, report.Kind switch
        {
            "queue" => SharedQueue.Open(report.Name, Joining.Queue(), cancel),
            "topic" => TopicWriter.Open(report.Name, Joining.Topic(), cancel),
            _ => RingWriter.Open(report.Name, Joining.Ring(), cancel),
        }));
    }

    /// <summary>Sends one message, waiting for room until <paramref name="deadline"/>. Ends the verb when there was none.</summary>
    /// <param name="payload">The message.</param>
    /// <param name="type">The application's number.</param>
    /// <param name="key">A topic's; others have none.</param>
    /// <param name="deadline">For this message.</param>
    /// <param name="cancel">Ctrl+C.</param>
    public void Send(ReadOnlySpan<byte> payload, ushort type, ulong key, Deadline deadline, CancellationToken cancel)
    {
        if (payload.Length > MaxPayload)
            throw new ToolException(ExitCode.Usage, $"a message of {payload.Length} bytes is too long: {Kind} {Name} takes {MaxPayload} at most.");
        IpcStatus status = _end switch
        {
            SharedQueue queue => queue.Send(payload, type, deadline, cancel),
            TopicWriter topic => topic.Publish(payload, type, key, deadline, cancel),
            _ => ((RingWriter)_end).Write(payload, type, deadline, cancel),
        };
        switch (status)
        {
            case IpcStatus.Ok:
                return;
            case IpcStatus.Cancelled:
                throw new OperationCanceledException(cancel);
            case IpcStatus.Timeout:
                string holdUp = _end is TopicWriter { SlowReader: { } slow } ? $": it waits for {slow}" : ": nobody has made room";
                throw new ToolException(ExitCode.TimedOut, $"{Kind} {Name} is full{holdUp}. --timeout says how long to wait.");
            case IpcStatus.PeerClosed or IpcStatus.PeerDied:
                throw new ToolException(ExitCode.TimedOut, $"{Kind} {Name} is full, and its reader has {(status == IpcStatus.PeerDied ? "died" : "left")}: nobody makes room.");
            default:
                throw new ToolException(ExitCode.Of(status), $"{Kind} {Name} took no message: {status}.");
        }
    }

    public void Dispose() => _end.Dispose();
}
