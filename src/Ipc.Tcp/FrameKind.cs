namespace Ipc.Tcp;

/// <summary>docs/tcp-protocol.md, Frames.</summary>
internal enum FrameKind : ushort
{
    Hello = 1,
    Welcome = 2,
    Refused = 3,
    Record = 4,
    Close = 5,
    Alive = 6,
    Message = 7,
    Acknowledge = 8,
    LoggedIn = 9,
}

internal readonly struct Frame
{
    public const int HeaderSize = 8;
    public const int LongestText = 1024;
    public const int LongestGreeting = 8192; // of a HELLO or WELCOME
    public const int LongestEver = 128 << 20;
    public const int SequenceSize = sizeof(ulong);

    public Frame(FrameKind kind, ushort type, int length)
    {
        Kind = kind;
        Type = type;
        Length = length;
    }

    public FrameKind Kind { get; }

    public ushort Type { get; }

    /// <summary>Of what follows the header.</summary>
    public int Length { get; }
}
