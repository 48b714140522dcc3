using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Matrix;

/// <summary>Two rings between the two processes, one each way.</summary>
internal sealed class RingEnds : IDisposable
{
    public const int Small = 64;

    private readonly byte[] _bytes = new byte[Small];

    public RingEnds(string name, Side side, WaitMode mode)
    {
        RingOptions options = new() { WaitMode = mode };
        string to = name + "-to", back = name + "-back";
        Writer = RingWriter.Open(side == Side.Measuring ? to : back, options);
        Reader = RingReader.Open(side == Side.Measuring ? back : to, options);
    }

    public RingWriter Writer { get; }

    public RingReader Reader { get; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Span<byte> Claim(int length)
    {
        if (!Writer.TryClaim(length, out Span<byte> payload))
            Check(Writer.Claim(length, out payload, Deadline.Never));
        return payload;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public RingRecord Next()
    {
        if (!Reader.TryRead(out RingRecord record))
            Check(Reader.Read(out record, Deadline.Never));
        return record;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void SendSmall()
    {
        _bytes.AsSpan().CopyTo(Claim(Small));
        Writer.Commit(Small, 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void ReceiveSmall()
    {
        Next().Payload.CopyTo(_bytes);
        Reader.Release();
    }

    public void Dispose()
    {
        Writer.Dispose();
        Reader.Dispose();
    }

    [StackTraceHidden]
    private static void Check(IpcStatus status)
    {
        if (status != IpcStatus.Ok)
            throw new IOException($"The ring's other end: {status}.");
    }
}
