using System;
using System.Threading;

namespace Ipc.Tool;

/// <summary>Where messages come from. One thread.</summary>
internal abstract class MessageSource : IDisposable
{
    /// <summary>What passed unseen so far, in <see cref="Unit"/>.</summary>
    public virtual long Missed => 0;

    /// <summary>messages, or bytes of a ring.</summary>
    public virtual string Unit => "messages";

    /// <summary>Nobody else gets what was released here.</summary>
    public virtual bool Takes => false;

    /// <summary>The next message: a copy. Null when none came before the deadline, or none will come any more: <see cref="HasEnded"/>.</summary>
    public abstract TappedMessage? Next(Deadline deadline, CancellationToken cancel);

    /// <summary>The last message has been dealt with: where it was taken, it is gone now.</summary>
    public virtual void Release()
    {
    }

    /// <summary>There is nobody left who would send, or nothing to send to.</summary>
    public bool HasEnded { get; protected set; }

    public abstract void Dispose();

    /// <summary>As one of a queue's receivers, or as the reader of a ring: what is read here nobody else gets.</summary>
    public static MessageSource Take(RegionReport report, CancellationToken cancel)
    {
        Joining.RequireMessages(report);
        return Joining.Try<MessageSource>(() => report.Kind switch
        {
            "queue" => new QueueSource(SharedQueue.Open(report.Name, Joining.Queue(), cancel)),
            "ring" => new RingSource(RingReader.Open(report.Name, Joining.Ring(), cancel)),
            _ => throw new ToolException(ExitCode.Usage, $"{report.Name} is a topic: nobody takes its messages away from others. Use 'ipc tail' or 'ipc record'."),
        });
    }

    /// <summary>In passing: nobody waits for it, and nothing is taken from anybody.</summary>
    /// <param name="report">The region.</param>
    /// <param name="fromOldest">Begin with what is there.</param>
    /// <param name="cancel">Ctrl+C.</param>
    public static MessageSource Watch(RegionReport report, bool fromOldest, CancellationToken cancel)
    {
        Joining.RequireMessages(report);
        if (report.Kind != "topic")
            return new TapSource(report, fromOldest);
        try
        {
            var own = new TopicReaderOptions { Policy = TopicPolicy.Lossy, Join = fromOldest ? TopicJoin.Oldest : TopicJoin.Newest };
            return new TopicSource(TopicReader.Open(report.Name, Joining.Topic(), own, cancel));
        }
        catch (IpcException error) when (error.Status is IpcStatus.TableFull or IpcStatus.InvalidArgument)
        {
            return new TapSource(report, fromOldest); // no place for a reader, or none for a lossy one: looking on needs neither
        }
    }

    /// <summary>The state of a wait that brought nothing; throws for what is neither an end nor a timeout.</summary>
    protected TappedMessage? Nothing(IpcStatus status, CancellationToken cancel)
    {
        if (status == IpcStatus.Cancelled)
            throw new OperationCanceledException(cancel);
        if (status is IpcStatus.PeerClosed or IpcStatus.PeerDied or IpcStatus.Closed)
            HasEnded = true;
        else if (status != IpcStatus.Timeout)
            throw new ToolException(ExitCode.Of(status), $"the next message could not be read: {status}.");
        return null;
    }
}
