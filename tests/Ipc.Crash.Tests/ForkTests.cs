using System.Diagnostics;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// A child made by fork without exec inherits its parent's locks. It must not keep the parent alive in the eyes of others.
/// </summary>
public sealed class ForkTests(Peers peers)
{
    /// <param name="survivor">Who judges.</param>
    /// <param name="raw">1: the library's own fork handler does not run, so that the child does keep the locks.</param>
    [Theory]
    [InlineData(Language.CSharp, 0)]
    [InlineData(Language.CSharp, 1)]
    [InlineData(Language.C, 0)]
    [InlineData(Language.C, 1)]
    public void AChildThatOutlivesItsParentDoesNotKeepItAlive(Language survivor, int raw)
    {
        string name = peers.NewName("fork");
        Driven reader = peers.At(survivor, "reader"), rival = peers.At(survivor, "writer");
        reader.Must($"open-reader 1 {name}");
        using Driven parent = peers.New(Language.C);
        parent.Must($"open-writer 1 {name}");
        parent.Must("write 1 1 100 1");
        using Process child = Process.GetProcessById((int)parent.Must($"fork-idle raw={raw}")["pid"]);
        try
        {
            Assert.Equal(1, reader.Must("read 1 timeout=600000")["type"]);
            reader.Begin("read 1 timeout=600000");
            parent.Kill();
            Assert.False(child.HasExited);
            if (raw != 0)
            {
                using var region = new LiveRegion(peers.Directory.FileOf(name));
                int entry = Enumerable.Range(0, 2).First(i => region[Wire.Region.Participants + i * Wire.Participant.Size + Wire.Participant.Pid] == parent.ProcessId);
                Assert.False(region.TryLock(Wire.Region.LockOfParticipant + entry)); // the child holds it
            }
            Assert.Equal(IpcStatus.PeerDied, reader.Result().Status);
            rival.Must($"open-writer 1 {name}");
            RegionScenes.Traffic(rival, reader, 2);
            using (var region = new LiveRegion(peers.Directory.FileOf(name)))
                Assert.Equal(1u, region[Wire.Region.Recoveries]);
            rival.Must("close 1");
            reader.Must("close 1");
            Assert.Empty(peers.Directory.FilesOf(name));
        }
        finally
        {
            child.Kill();
        }
    }

    /// <summary>The same for a server whose child lives on: clients learn of its death, and a successor takes the name.</summary>
    [Theory]
    [InlineData(Language.CSharp, 0)]
    [InlineData(Language.CSharp, 1)]
    [InlineData(Language.C, 0)]
    [InlineData(Language.C, 1)]
    public void AServersChildDoesNotKeepItsConnections(Language survivor, int raw)
    {
        string name = peers.NewName("fork");
        Driven client = peers.At(survivor, "client"), successor = peers.At(survivor, "server");
        using Driven parent = peers.New(Language.C);
        parent.Must($"listen 1 {name}");
        using Process child = Process.GetProcessById((int)parent.Must($"fork-idle raw={raw}")["pid"]);
        try
        {
            parent.Begin("serve 1 timeout=600000");
            client.Must($"connect 1 {name} timeout=600000");
            client.Begin("read 1 timeout=600000");
            parent.Kill();
            Assert.Equal(IpcStatus.PeerDied, client.Result().Status);
            client.Must("close 1");
            successor.Must($"listen 1 {name}");
            successor.Must("close 1");
            Assert.Empty(peers.Directory.FilesOf(name));
        }
        finally
        {
            child.Kill();
        }
    }
}
