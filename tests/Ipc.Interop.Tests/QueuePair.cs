using System;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>One queue, object 1 of two processes. Disposing finds it as new, closes both, and finds nothing left.</summary>
internal sealed class QueuePair : IDisposable
{
    private readonly Peers _peers;

    public QueuePair(Peers peers, Language one, Language other, string options, string? otherOptions = null)
    {
        _peers = peers;
        Name = peers.NewName("queue");
        One = peers.At(one, "sender");
        Other = peers.At(other, "receiver");
        One.Must($"open-queue 1 {Name} {options}");
        Other.Must($"open-queue 1 {Name} open=existing {otherOptions ?? options}");
    }

    public string Name { get; }

    public Driven One { get; }

    public Driven Other { get; }

    /// <summary>The other receives a message, finds the pattern of this seed in it, and releases it.</summary>
    public void MustRead(uint seed, int length, int type, bool redelivered = false)
    {
        Answer answer = Other.Do("read 1 timeout=600000");
        Assert.True(answer.Status == IpcStatus.Ok, answer.Line);
        Assert.Equal((type, length, Numbered.HashOfPattern(seed, length), redelivered),
            ((int)answer["type"], (int)answer["length"], (uint)answer["hash"], answer["redelivered"] == 1));
        Other.Must("release 1");
    }

    /// <summary>Numbered messages of so many senders to so many receivers, threads of the one and of the other.</summary>
    public void MustPassStreams(int senders, int receivers, int count, int max)
    {
        Other.Begin($"collect 1 {max} threads={receivers} timeout=600000");
        One.Must($"stream 1 0 {count} {max} threads={senders} timeout=600000");
        for (int end = 0; end < receivers; end++)
            One.Must("write 1 0 0 65535 timeout=600000");
        Answer answer = Other.Result();
        Assert.True(answer.Status == IpcStatus.Ok, answer.Line);
        Assert.Equal((senders * count, 0, Numbered.SumOfStreams(0, senders, count)), ((int)answer["count"], (int)answer["redelivered"], (uint)answer["sum"]));
    }

    public void Dispose()
    {
        if (One.HasExited || Other.HasExited || One.Outstanding != 0 || Other.Outstanding != 0)
            return; // the test has failed already
        _peers.MustBeAsNew(Name, "idle");
        One.Must("close 1");
        Other.Must("close 1");
        Assert.Empty(_peers.Directory.FilesOf(Name));
    }
}
