using System.Threading;

namespace Ipc.Rpc;

/// <summary>What a request says besides its method and its message.</summary>
internal readonly struct CallRequest
{
    public CallRequest(
        CallSetup setup, Deadline deadline, CancellationToken cancellationToken, ushort credit = 0, byte flags = 0)
    {
        Setup = setup;
        Deadline = deadline;
        Cancel = cancellationToken;
        Credit = credit;
        Flags = flags;
        Handler = default;
    }

    private CallRequest(in CallRequest other, CancellationToken handler)
    {
        this = other;
        Handler = handler;
    }

    public CallSetup Setup { get; }

    public Deadline Deadline { get; }

    public CancellationToken Cancel { get; }

    /// <summary>The token of the handler in which an asynchronous call is made, if <see cref="Cancel"/> is
    /// another.</summary>
    public CancellationToken Handler { get; }

    /// <summary>The first credit of the answer's stream.</summary>
    public ushort Credit { get; }

    /// <summary>Of <see cref="FrameFlags"/>: one-way, client stream, format.</summary>
    public byte Flags { get; }

    /// <summary>The same, made in a handler.</summary>
    public CallRequest InHandler(CancellationToken handler) => new(in this, handler);

    // 0 is none
    public ulong WireDeadline => Deadline.Nanoseconds == ulong.MaxValue ? 0 : System.Math.Max(1, Deadline.Nanoseconds);
}
