using System;
using System.Diagnostics;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// A rising sequence of numbers goes through a persistent ring while writer and reader, each time in a language drawn anew,
/// are killed at random instructions. No number is missing; a number that comes twice carries its flag; and after all kills
/// the region is as new.
/// </summary>
public sealed class StormTests(Peers peers)
{
    private const int Max = 600;
    private static readonly TimeSpan _short = TimeSpan.FromSeconds(10);

    [Fact]
    public void ARisingSequenceSurvivesKillsOfEitherEndOrBoth()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("IPC_STORM_SEED"), out int given) ? given : Environment.TickCount;
        Console.WriteLine($"storm: IPC_STORM_SEED={seed}"); // before anything can hang or end the process
        var random = new Random(seed);
        using var sides = new RegionDirectory();
        using var ring = new StormRing(peers, sides, random, peers.NewName("storm"), Max);
        long began = Stopwatch.GetTimestamp();
        int kills = 0;
        while (Switches.LongRuns ? kills < 1000 : kills < 10 || Stopwatch.GetElapsedTime(began) < _short) // a loaded machine takes its time
        {
            ring.WaitForProgress((ulong)random.Next(2000));
            switch (random.Next(3))
            {
                case 0:
                    ring.ReplaceReader();
                    kills++;
                    break;
                case 1:
                    ring.ReplaceWriter();
                    kills++;
                    break;
                default:
                    ring.ReplaceBoth();
                    kills += 2;
                    break;
            }
        }
        ulong last = ring.Finish();
        TestContext.Current.SendDiagnosticMessage($"storm: {kills} kills, {last} numbers");
    }

    /// <summary>The same on the other transport: clients of one server are killed at random instructions, and one is not.</summary>
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public void AServerSurvivesTheDeathOfItsClients(Language language)
    {
        string name = peers.NewName("storm");
        var random = new Random(1);
        Driven server = peers.At(language, "server"), steady = peers.At(language, "client");
        server.Must($"listen 1 {name} max=63");
        server.Begin("serve 1 timeout=600000");
        steady.Must($"connect 1 {name} timeout=600000");
        for (int round = 0; round < (Switches.LongRuns ? 500 : 20); round++)
        {
            using Driven client = peers.New(random.Next(3) == 0 ? Language.CSharp : Language.C);
            client.Begin($"connect 1 {name} timeout=600000");
            for (int more = 0; more < 100; more++)
                client.Begin("ping 1 1 60000 3000 timeout=600000"); // never so many at once that one has type 65535, which ends the service
            for (int wait = random.Next(8); wait > 0; wait--) // some die on their way in, some in the middle of a call
                steady.Must("ping 1 1 20 500 timeout=600000");
            client.Kill();
        }
        Driven last = peers.At(language, "client2"); // cleans up after those that nobody knew of yet
        last.Must($"connect 1 {name} timeout=600000");
        last.Must("close 1");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            Watchdog.Until(() => Taken(region) == 2, "the dead clients to leave the table");
        }
        steady.Must("ping 1 1 200 3000 timeout=600000");
        Watchdog.Until(() => peers.Directory.FilesOf(name).Count == 1, "the dead clients' files to go");
        steady.Must("write 1 1 8 65535 timeout=600000");
        Assert.Equal(IpcStatus.Ok, server.Result().Status);
        steady.Must("close 1");
        server.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    private static int Taken(LiveRegion region)
    {
        int taken = 0;
        for (int i = 0; i < region[Wire.Region.ParticipantCapacity]; i++)
            taken += region[Wire.Region.Participants + i * Wire.Participant.Size] != 0 ? 1 : 0;
        return taken;
    }
}
