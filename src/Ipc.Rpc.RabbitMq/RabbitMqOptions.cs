using System;
using System.Globalization;
using System.Text.RegularExpressions;
using System.Threading;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What clients and servers have in common. They copy it: later changes have no effect.</summary>
public abstract class RabbitMqOptions
{
    /// <summary>Its limit may be raised meanwhile, and nothing tells.</summary>
    private static readonly TimeSpan _believedFor = TimeSpan.FromMinutes(10);

    private LimitOfBroker? _limit; // once it has said so: it tells nobody before

    private protected RabbitMqOptions()
    {
    }

    /// <summary>The most bytes that the broker takes by its own limit, as far as is known.</summary>
    internal int MostOfBroker =>
        Volatile.Read(ref _limit) is { Until.HasPassed: false } limit ? limit.Bytes : int.MaxValue;

    /// <summary>The most bytes that a message may have that is sent.</summary>
    internal int MostToSend => Math.Min(MaxMessageBytes, MostOfBroker);

    /// <summary>How long one attempt to connect to the broker may take, with several nodes a share of it at each; and
    /// as long again to declare what is needed there. After one that a node has taken and not answered, as when
    /// thousands come back at once, the next may take twice as long, up to eight times this or two minutes, whichever
    /// is less. It begins after a pause of half to all of what the one before was allowed to take, two minutes at most.
    /// Default: 10 seconds.</summary>
    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How often broker and client tell each other that they are alive; a connection without a sign of life is
    /// given up after about twice that. A connection that is closed or reset is noticed at once. Default: 10
    /// seconds.</summary>
    public TimeSpan Heartbeat { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The pause before the broker is tried again after its connection was lost; it doubles up to
    /// <see cref="LongestPause"/>, and each pause is randomly shortened by up to a half, so that not all clients of a
    /// broker come back at once. It goes on doubling while connections end within <see cref="LongestPause"/> after they
    /// were opened. Default: 100 ms.</summary>
    public TimeSpan FirstPause { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest pause, except after an attempt that a busy broker did not answer in time
    /// (<see cref="ConnectTimeout"/>). Default: 5 seconds.</summary>
    public TimeSpan LongestPause { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The most bytes that a message may have; a larger one is refused before it is sent, with
    /// <see cref="RpcStatus.ResourceExhausted"/>. One that comes all the same, from an end that allows more, fails in
    /// the same way; it was in memory then, and is as large as the broker lets it be. No more than the broker
    /// takes (128 MiB by its default, 16 MiB since
    /// RabbitMQ 4.0). Default: 16 MiB.</summary>
    public int MaxMessageBytes { get; set; } = 16 << 20;

    /// <summary>Is told when there is a connection to the broker, when it was lost, and when an attempt failed for
    /// another reason than the one before; for a log. Not of what <see cref="RabbitMqClient.ConnectAsync"/> or
    /// <see cref="RabbitMqServer.StartAsync(string, RabbitMqServerOptions?, RpcService[])"/> throws, and not of the end
    /// by disposal. It runs on a thread of the pool, one call at a time. Nothing is tried again, and no disposal ends,
    /// before it returns.</summary>
    public Action<RabbitMqConnectionChange>? ConnectionChanged { get; set; }

    /// <summary>Who says that, for texts.</summary>
    internal string SaysMostToSend(string type)
    {
        int most = MostToSend;
        return most < MaxMessageBytes
            ? "the broker takes at most " + most + " (its max_message_size)."
            : type + "." + nameof(MaxMessageBytes) + " allows " + most + ".";
    }

    /// <summary>A connection has ended: if it was because of a message that was too large for the broker, no other one
    /// like that is sent.</summary>
    internal void LearnFrom(string reason)
    {
        Match said = Regex.Match(
            reason,
            "message size [0-9]+ is larger than (?:configured )?max size ([0-9]+)",
            RegexOptions.CultureInvariant);
        if (said.Success && int.TryParse(said.Groups[1].Value, CultureInfo.InvariantCulture, out int most))
            Volatile.Write(ref _limit, new LimitOfBroker(Math.Max(most, 1), Deadline.After(_believedFor)));
    }

    private protected void Check()
    {
        if (ConnectTimeout <= TimeSpan.Zero || ConnectTimeout > TimeSpan.FromHours(1))
            throw Wrong(nameof(ConnectTimeout), ConnectTimeout, "more than nothing, and an hour at most");
        if (Heartbeat < TimeSpan.FromSeconds(1) || Heartbeat > TimeSpan.FromHours(1))
            throw Wrong(nameof(Heartbeat), Heartbeat, "a second to an hour");
        if (FirstPause <= TimeSpan.Zero || FirstPause > LongestPause || LongestPause > TimeSpan.FromDays(1))
            throw Wrong(nameof(FirstPause), FirstPause, "more than nothing, and no longer than LongestPause");
        if (MaxMessageBytes < 1 || MaxMessageBytes > 512 << 20)
            throw Wrong(nameof(MaxMessageBytes), MaxMessageBytes, "1 to 512 MiB");
    }

    private protected static ArgumentOutOfRangeException Wrong(string name, object value, string range) =>
        new(name, value, name + " is " + range + ".");

    private sealed record LimitOfBroker(int Bytes, Deadline Until);
}
