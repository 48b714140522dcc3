using System;
using System.Threading;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What clients and servers have in common. They copy it: later changes have no effect.</summary>
public abstract class RabbitMqOptions
{
    private protected RabbitMqOptions()
    {
    }

    /// <summary>How long one attempt to connect to the broker may take. After one that the broker has taken and not
    /// answered in time, as when thousands come back to it at once, the next may take twice as long, up to eight times
    /// this, and begins after a pause of as long as the one before took. Default: 10 seconds.</summary>
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
}
