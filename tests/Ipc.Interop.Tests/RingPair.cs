using System;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>One ring, its writer and its reader in two processes. Disposing closes both ends and finds nothing left.</summary>
internal sealed class RingPair : IDisposable
{
    private readonly Peers _peers;

    public RingPair(Peers peers, Language writer, Language reader, string options = "capacity=4096")
    {
        _peers = peers;
        Name = peers.NewName("ring");
        Writer = peers.At(writer, "writer");
        Reader = peers.At(reader, "reader");
        Writer.Must($"open-writer {W} {Name} {options}");
        Reader.Must($"open-reader {R} {Name} open=existing {options}");
    }

    public string Name { get; }

    public Driven Writer { get; }

    public Driven Reader { get; }

    public int W { get; } = 1;

    public int R { get; } = 2;

    /// <summary>A command to the writer: its verb, and what follows the object's number.</summary>
    public Answer Write(string verb, string rest = "") => Writer.Do($"{verb} {W} {rest}".TrimEnd());

    public Answer Read(string verb, string rest = "") => Reader.Do($"{verb} {R} {rest}".TrimEnd());

    /// <summary>Reads one record and checks that it is the pattern of this seed.</summary>
    public void MustRead(uint seed, int length, int type, bool redelivered = false)
    {
        Answer answer = Read("read", "timeout=600000");
        Assert.Equal(IpcStatus.Ok, answer.Status);
        Assert.Equal((type, length, Testing.Images.Numbered.HashOfPattern(seed, length), redelivered),
            ((int)answer["type"], (int)answer["length"], (uint)answer["hash"], answer["redelivered"] == 1));
    }

    public void MustWrite(uint seed, int length, int type) =>
        Assert.Equal(IpcStatus.Ok, Write("write", $"{seed} {length} {type} timeout=600000").Status);

    public void Dispose()
    {
        if (!Writer.HasExited)
            Writer.Must($"close {W}");
        if (!Reader.HasExited)
            Reader.Must($"close {R}");
        Assert.Empty(_peers.Directory.LeftOf(Name));
    }
}
