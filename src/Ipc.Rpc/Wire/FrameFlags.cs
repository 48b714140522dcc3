using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>The second byte of a frame; docs/rpc-protocol.md section 1.</summary>
internal static class FrameFlags
{
    /// <summary>On a request: no answer is sent.</summary>
    public const byte OneWay = 0x01;

    /// <summary>On everything but ping and pong: the call was made by the server.</summary>
    public const byte Callback = 0x02;

    /// <summary>The body begins with a <see cref="CallHead"/>.</summary>
    public const byte Head = 0x04;

    /// <summary>On a request: items of the caller follow, then its end.</summary>
    public const byte ClientStream = 0x08;

    /// <summary>On a request: how the call's messages are written, times <see cref="FormatUnit"/>.</summary>
    public const byte Format = 0x30;

    public const int FormatUnit = 0x10;

    /// <summary>What a frame of a kind may have set, when it was written by the caller of its call or by the
    /// callee.</summary>
    [MethodImpl(Tiering.Optimized)]
    public static int Allowed(FrameKind kind, bool byCaller) => kind switch
    {
        FrameKind.Request => OneWay | Callback | Head | ClientStream | Format,
        FrameKind.Response or FrameKind.Error => Callback | Head,
        FrameKind.End => byCaller ? Callback : Callback | Head,
        FrameKind.Ping or FrameKind.Pong or FrameKind.Read => 0,
        _ => Callback,
    };
}
