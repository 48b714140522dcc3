using System;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A mutex, semaphore or event, object 1 of two processes.</summary>
internal sealed class SyncPair : IDisposable
{
    private readonly Peers _peers;

    public SyncPair(Peers peers, Language one, Language other, string kind, string options)
    {
        _peers = peers;
        Name = peers.NewName(kind);
        One = peers.At(one, "sender");
        Other = peers.At(other, "receiver");
        One.Must($"open-{kind} 1 {Name} {options}".TrimEnd());
        Other.Must($"open-{kind} 1 {Name} open=existing {options}".TrimEnd());
    }

    public string Name { get; }

    public Driven One { get; }

    public Driven Other { get; }

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
