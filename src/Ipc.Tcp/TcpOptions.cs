using System;

namespace Ipc.Tcp;

/// <summary>What both ends of the way between two machines have to know.</summary>
public abstract class TcpOptions
{
    private protected TcpOptions()
    {
    }

    /// <summary>What the entrance asks every exit for: at most 1024 bytes. Default: nothing. Without TLS it travels
    /// readable.</summary>
    public ReadOnlyMemory<byte> Token { get; set; }

    /// <summary>TLS; null, the default: none. Both ends have it, or neither.</summary>
    public TcpTls? Tls { get; set; }

    /// <summary>How often something is sent at least, so that the other end knows that this one is there: after three
    /// times as long without a sign it takes the way for lost. 10 ms to 1 hour. Default: 2 s.</summary>
    public TimeSpan Alive { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How long connecting by TCP, TLS and the greeting may take together. Default: 5 s.</summary>
    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The longest message that is taken from the other end, in bytes; a longer one ends its connection. At
    /// most, and by default, 128 MiB.</summary>
    public int MaxMessage { get; set; } = Frame.LongestEver;

    internal int AliveMilliseconds => (int)Alive.TotalMilliseconds;

    internal TcpOptions Copy()
    {
        TcpOptions copy = (TcpOptions)MemberwiseClone();
        if (Token.Length > Frame.LongestText)
            throw new ArgumentException($"A token has at most {Frame.LongestText} bytes, this one has {Token.Length}.");
        if (Alive < TimeSpan.FromMilliseconds(10) || Alive > TimeSpan.FromHours(1))
            throw new ArgumentException($"Alive is 10 ms to 1 hour, not {Alive}.");
        if (ConnectTimeout <= TimeSpan.Zero || ConnectTimeout > TimeSpan.FromHours(1))
            throw new ArgumentException($"ConnectTimeout is more than 0, at most 1 hour, not {ConnectTimeout}.");
        if (MaxMessage is < 1 or > Frame.LongestEver)
            throw new ArgumentException($"MaxMessage is 1 to {Frame.LongestEver}, not {MaxMessage}.");
        return copy;
    }
}
