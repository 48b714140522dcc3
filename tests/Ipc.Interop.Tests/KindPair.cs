using System;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A queue, a topic or a ring with one who sends and one who receives: what holds for all three is tested once.</summary>
internal sealed class KindPair : IDisposable
{
    private readonly Peers _peers;

    public KindPair(Peers peers, string kind, Language sender, Language receiver, string options)
    {
        _peers = peers;
        Name = peers.NewName(kind);
        Sender = peers.At(sender, "sender");
        Receiver = peers.At(receiver, "receiver");
        Open(kind, Sender, Name, sends: true, options);
        Open(kind, Receiver, Name, sends: false, options);
    }

    public string Name { get; }

    public Driven Sender { get; }

    public Driven Receiver { get; }

    /// <summary>Small blocks, few of them: 64 bytes, 16; a ring of 4096 bytes.</summary>
    public static void Open(string kind, Driven end, string name, bool sends, string options)
    {
        string verb = kind switch
        {
            "queue" => "open-queue",
            "topic" => sends ? "open-publisher" : "open-subscriber",
            _ => sends ? "open-writer" : "open-reader",
        };
        end.Must($"{verb} 1 {name} {(kind == "ring" ? "capacity=4096" : "block=64 count=16")} {options}".TrimEnd());
    }

    public void MustPass(uint seed, int length)
    {
        Assert.Equal(IpcStatus.Ok, Sender.Do($"write 1 {seed} {length} {seed} timeout=600000").Status);
        MustRead(seed, length, (int)seed);
    }

    public void MustRead(uint seed, int length, int type)
    {
        Answer answer = Receiver.Do("read 1 timeout=600000");
        Assert.True(answer.Status == IpcStatus.Ok, answer.Line);
        Assert.Equal((type, length, Numbered.HashOfPattern(seed, length)), ((int)answer["type"], (int)answer["length"], (uint)answer["hash"]));
        Receiver.Must("release 1");
    }

    public void Dispose()
    {
        if (Sender.HasExited || Receiver.HasExited || Sender.Outstanding != 0 || Receiver.Outstanding != 0)
            return; // the test has failed already
        _peers.MustBeAsNew(Name, "idle");
        Sender.Must("close 1");
        Receiver.Must("close 1");
        Assert.Empty(_peers.Directory.FilesOf(Name));
    }
}
