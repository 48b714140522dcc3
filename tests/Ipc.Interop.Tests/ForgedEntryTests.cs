using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>
/// Somebody writes another process into a living participant's entry: nobody takes the participant for dead, and when it does die that is noticed. The
/// kernel says who it is, not the bytes (docs/wire-format.md section 2).
/// </summary>
public sealed class ForgedEntryTests(Peers peers)
{
    private const string Long = "timeout=600000";
    private const int Nobody = 4_194_303; // the highest pid that Linux can have: mostly nobody's

    public static TheoryData<Language, Language, string> Forgeries
    {
        get
        {
            var data = new TheoryData<Language, Language, string>();
            foreach ((Language victim, Language other) in new[] { (Language.C, Language.CSharp), (Language.CSharp, Language.C), (Language.C, Language.C) })
            {
                foreach (string forgery in new[] { "start_time", "pid", "pid of the observer", "pid of another", "pid_namespace" })
                    data.Add(victim, other, forgery);
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Forgeries))]
    public void WhatAnEntrySaysMakesNobodyDead(Language victim, Language other, string forgery)
    {
        string name = peers.NewName("forged");
        Driven observer = peers.At(other, "receiver"), late = peers.At(other, "sender");
        using Driven writer = peers.New(victim);
        writer.Must($"open-writer 1 {name}");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            long entry = EntryOf(region, writer.ProcessId);
            Forge(region, entry, forgery, observer.ProcessId);

            observer.Must($"open-reader 1 {name} wait=block"); // once the next to attach retired the region under its owner
            Assert.Equal(Wire.Region.StateLive, region[Wire.Region.State]);
            Assert.Equal(IpcStatus.InUse, late.Do($"open-writer 2 {name}").Status);
            writer.Must("write 1 1 100 1");
            Assert.Equal(1, observer.Must($"read 1 {Long}")["type"]);
            observer.Must("release 1");
            Assert.Equal(0u, region[Wire.Region.Recoveries]);

            observer.Begin($"read 1 {Long}");
            observer.WaitUntilAsleep();
            writer.Kill(); // noticed, whatever its entry says
            Assert.Equal(IpcStatus.PeerDied, observer.Result().Status);
            Assert.Equal(1u, region[Wire.Region.Recoveries]);
        }

        observer.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>The same of who holds a mutex: nobody gets it while the holder lives.</summary>
    [Theory]
    [MemberData(nameof(Forgeries))]
    public void AMutexStaysItsHolders(Language victim, Language other, string forgery)
    {
        string name = peers.NewName("forged");
        Driven waiting = peers.At(other, "receiver"), late = peers.At(other, "sender");
        using Driven holder = peers.New(victim);
        holder.Must($"open-mutex 1 {name} wait=block");
        holder.Must("acquire 1");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
            Forge(region, EntryOf(region, holder.ProcessId), forgery, waiting.ProcessId);
        waiting.Must($"open-mutex 1 {name} open=existing wait=block");
        Assert.Equal(IpcStatus.Timeout, waiting.Do("acquire 1 timeout=20").Status);
        late.Must($"open-mutex 2 {name} open=existing");
        Assert.Equal(IpcStatus.Timeout, waiting.Do("acquire 1 timeout=20").Status);
        waiting.Begin($"acquire 1 {Long}");
        waiting.WaitUntilAsleep();
        holder.Kill();
        Assert.Equal(IpcStatus.Abandoned, waiting.Result().Status);
        waiting.Must("close 1");
        late.Must("close 2");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    private static long EntryOf(LiveRegion region, int pid)
    {
        long entry = Wire.Region.Participants;
        while (region[entry + Wire.Participant.Pid] != pid)
            entry += Wire.Participant.Size;
        return entry;
    }

    private static void Forge(LiveRegion region, long entry, string forgery, int observer)
    {
        switch (forgery)
        {
            case "start_time":
                region.U64(entry + Wire.Participant.StartTime, region.U64(entry + Wire.Participant.StartTime) + 1);
                break;
            case "pid":
                region[entry + Wire.Participant.Pid] = Nobody;
                break;
            case "pid of the observer":
                region[entry + Wire.Participant.Pid] = (uint)observer;
                break;
            case "pid of another":
                region[entry + Wire.Participant.Pid] = (uint)System.Environment.ProcessId;
                region.U64(entry + Wire.Participant.StartTime, FakeClient.StartTime());
                break;
            case "pid_namespace":
                region.U64(entry + Wire.Participant.PidNamespace, 1);
                break;
        }
    }
}
