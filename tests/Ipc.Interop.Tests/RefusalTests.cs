using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>The system refuses a process something that it allowed before: no descriptors are left, a filter forbids membarrier. The same promises hold.</summary>
public sealed class RefusalTests(Peers peers)
{
    private const string Long = "timeout=600000";

    public static TheoryData<Language, Language> Pairs => new() { { Language.C, Language.CSharp }, { Language.CSharp, Language.C }, { Language.CSharp, Language.CSharp } };

    /// <summary>Who sleeps asks publishers to fence from then on, and no wake-up is lost.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void WithoutMembarrierSleepersAskForFences(Language refused, Language other)
    {
        Matrix.SkipWhenEmulated(refused, "filters of system calls");
        string name = peers.NewName("refused");
        Driven writer = peers.At(other, "sender");
        using Driven reader = peers.New(refused);
        reader.Must($"open-reader 1 {name} wait=block");
        writer.Must($"open-writer 1 {name} wait=block");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            Assert.Equal(0u, region[region.Body + Wire.Ring.Data + Wire.Waiter.FenceRequired]);
            reader.Must("refuse-membarrier");
            Watchdog.Until(
                () => reader.Do("read 1 timeout=50").Status == IpcStatus.Timeout && region[region.Body + Wire.Ring.Data + Wire.Waiter.FenceRequired] == 1,
                "a sleeper to ask for fences");
        }

        for (int i = 0; i < 20; i++)
        {
            reader.Begin($"read 1 {Long}");
            if (i % 4 == 0)
                reader.WaitUntilAsleep();
            writer.Must("write 1 1 100 1");
            Assert.Equal(IpcStatus.Ok, reader.Result().Status);
            reader.Must("release 1");
        }

        reader.Must("close 1");
        writer.Must("close 1");
    }

    /// <summary>Without descriptors there is no watch of processes: who waits asks the locks. Who dies is noticed; who lives, and cannot be looked at, is not taken for dead.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void WithoutDescriptorsADeathIsNoticedAndALifeToo(Language refused, Language other)
    {
        string name = peers.NewName("refused");
        Driven living = peers.At(other, "sender");
        using Driven waiting = peers.New(refused), dying = peers.New(other);
        // All of it once, with everything allowed: .NET loads code when it is first used, and needs descriptors for that.
        living.Must($"open-mutex 2 {name}-before");
        living.Must("acquire 2");
        waiting.Must($"open-mutex 2 {name}-before wait=block");
        using (Driven first = peers.New(other))
        {
            first.Must($"open-mutex 2 {name}-before");
            waiting.Begin("acquire 2 timeout=1000");
            first.Kill();
            Assert.Equal(IpcStatus.Timeout, waiting.Result().Status);
        }

        waiting.Must("close 2");
        living.Must("close 2");

        waiting.Must($"open-mutex 1 {name} wait=block");
        living.Must($"open-mutex 1 {name} open=existing");
        dying.Must($"open-mutex 1 {name} open=existing");
        living.Must("acquire 1");
        waiting.Must("refuse-descriptors");
        waiting.Begin($"acquire 1 {Long}");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            dying.Kill();
            Watchdog.Until(() => region[Wire.Region.Recoveries] != 0, "the death to be noticed");
            living.Must("release 1");
            Assert.Equal(IpcStatus.Ok, waiting.Result().Status);
            Assert.Equal(1u, region[Wire.Region.Recoveries]); // the living one was once taken for dead: its process could not be looked up
        }

        waiting.Must("release 1");
        waiting.Must("close 1");
        living.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>A listener forgets whom it has armed. A client that publishes without a fence, because nobody had asked for one yet, would be missed for good.</summary>
    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void WithoutMembarrierAServerAsksBeforeItsClientPublishes(Language refused)
    {
        Matrix.SkipWhenEmulated(refused, "filters of system calls");
        string name = peers.NewName("refused");
        using Driven server = peers.New(refused);
        server.Must($"open-reader 2 {name}-ring wait=block");
        server.Must($"listen 1 {name} wait=block");
        server.Must("refuse-membarrier");
        using (var ring = new LiveRegion(peers.Directory.FileOf(name + "-ring")))
        {
            Watchdog.Until(
                () => server.Do("read 2 timeout=50").Status == IpcStatus.Timeout && ring[ring.Body + Wire.Ring.Data + Wire.Waiter.FenceRequired] == 1,
                "the refusal to be noticed");
        }

        using (var listener = new LiveRegion(peers.Directory.FileOf(name)))
        using (FakeClient client = FakeClient.Connect(peers.Directory, name, listener, image => { }))
        {
            Answer asked = server.Must($"next 1 {Long}");
            server.Must($"accept {asked["connection"]}");
            client.WaitForReply(accepted: true);
            long toServer = (long)client.Region.U64(client.Region.Body + Wire.Connection.ToServer);
            Assert.Equal(1u, client.Region[toServer + Wire.Ring.Data + Wire.Waiter.FenceRequired]);
            server.Must($"return 1 {asked["connection"]}");
            client.Region[client.Region.Body + Wire.Connection.ClientClose] = 1;
            client.RingTheServer();
            Assert.Equal(asked["connection"], server.Must($"next 1 {Long}")["connection"]);
            server.Must($"close {asked["connection"]}"); // the client has left: that frees the slot
        }

        server.Must("close 1");
        server.Must("close 2");
    }

    /// <summary>Deaths are told although no process can be watched any more.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public void WithoutDescriptorsADeathIsTold(Language refused, Language other) => ADeathIsTold(refused, other, "refuse-descriptors");

    /// <summary>The same of a ring's other end.</summary>
    [Theory]
    [InlineData(Language.C)]
    [InlineData(Language.CSharp)]
    public void WithoutDescriptorsThePeersDeathIsTold(Language other) => ThePeersDeathIsTold(other, "refuse-descriptors");

    /// <summary>Nor is there a thread that watches: whoever tells looks around by itself.</summary>
    [Fact]
    public void WithoutThreadsADeathIsTold() => ADeathIsTold(Language.CSharp, Language.CSharp, "refuse-threads");

    [Fact]
    public void WithoutThreadsThePeersDeathIsTold() => ThePeersDeathIsTold(Language.CSharp, "refuse-threads");

    private void ADeathIsTold(Language refused, Language other, string refusal)
    {
        string name = peers.NewName("refused");
        using Driven told = peers.New(refused);
        for (int round = 0; round < 2; round++) // all of it once with everything allowed: .NET loads what it needs when it needs it
        {
            told.Must($"open-queue {round} {name}-{round}");
            if (refused == Language.CSharp)
                Assert.Equal((long)ParticipantChange.Attached, told.Must($"change {round} {Long}")["kind"]); // itself, whom C leaves out
            if (round == 1)
                told.Must(refusal);
            using Driven dying = peers.New(other);
            dying.Must($"open-queue 1 {name}-{round}");
            Assert.Equal((long)ParticipantChange.Attached, told.Must($"change {round} {Long}")["kind"]);
            dying.Kill();
            Answer change = told.Must($"change {round} timeout=20000");
            Assert.Equal((long)ParticipantChange.Died, change["kind"]);
            told.Must($"close {round}");
        }
    }

    private void ThePeersDeathIsTold(Language other, string refusal)
    {
        string name = peers.NewName("refused");
        using Driven told = peers.New(Language.CSharp);
        for (int round = 0; round < 2; round++)
        {
            told.Must($"open-reader {round} {name}-{round}");
            told.Must($"tell-peer {round}");
            if (round == 1)
                told.Must(refusal);
            using Driven dying = peers.New(other);
            dying.Must($"open-writer 1 {name}-{round}");
            Assert.Equal((long)PeerState.Live, told.Must($"peer-change {round} {Long}")["state"]);
            dying.Kill();
            Assert.Equal((long)PeerState.Died, told.Must($"peer-change {round} timeout=20000")["state"]);
            told.Must($"close {round}");
        }
    }
}
