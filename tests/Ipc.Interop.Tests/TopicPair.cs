using System;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>One topic, its writer and a reader, object 1 of two processes. Disposing finds it as new, closes both, and finds nothing left.</summary>
internal sealed class TopicPair : IDisposable
{
    private readonly Peers _peers;

    public TopicPair(Peers peers, Language writer, Language reader, string options, string readerOptions)
    {
        _peers = peers;
        Name = peers.NewName("topic");
        Writer = peers.At(writer, "writer0");
        Reader = peers.At(reader, "reader0");
        Writer.Must($"open-publisher 1 {Name} {options}");
        Reader.Must($"open-subscriber 1 {Name} open=existing {readerOptions}".TrimEnd());
    }

    public string Name { get; }

    public Driven Writer { get; }

    public Driven Reader { get; }

    public void MustWrite(uint seed, int length, int type) => Writer.Must($"write 1 {seed} {length} {type} timeout=600000");

    /// <summary>The reader reads a message, finds the pattern of this seed in it, and releases it.</summary>
    public void MustRead(uint seed, int length, int type)
    {
        Answer answer = Reader.Do("read 1 timeout=600000");
        Assert.True(answer.Status == IpcStatus.Ok, answer.Line);
        Assert.Equal((type, length, Numbered.HashOfPattern(seed, length)), ((int)answer["type"], (int)answer["length"], (uint)answer["hash"]));
        Reader.Must("release 1");
    }

    public void Dispose()
    {
        if (Writer.HasExited || Reader.HasExited || Writer.Outstanding != 0 || Reader.Outstanding != 0)
            return; // the test has failed already
        _peers.MustBeAsNew(Name, "idle");
        Writer.Must("close 1");
        Reader.Must("close 1");
        Assert.Empty(_peers.Directory.FilesOf(Name));
    }
}
