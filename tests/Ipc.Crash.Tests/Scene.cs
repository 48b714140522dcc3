using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>One fault: who is the victim, who survives, and what can be asked of the scene afterwards.</summary>
internal sealed class Scene : IDisposable
{
    private const int SigKill = 128 + 9;
    private readonly Peers _peers;
    private readonly string _point;
    private Driven? _victim;

    public Scene(Peers peers, string point, int pass, Language victim, Language survivor, FaultAction action)
    {
        (_peers, _point) = (peers, point);
        (VictimLanguage, SurvivorLanguage, Action, Pass) = (victim, survivor, action, pass);
        Name = peers.NewName("fault");
    }

    public string Name { get; }

    public Language VictimLanguage { get; }

    public Language SurvivorLanguage { get; }

    public FaultAction Action { get; }

    public int Pass { get; }

    public bool Kills => Action == FaultAction.Kill;

    /// <summary>At this point the victim makes memory present for a loan, and nobody else can meanwhile.</summary>
    public bool HoldsTheRegionLock => _point == "pool.grow.claimed";

    /// <summary>The process that has the fault point armed.</summary>
    public Driven Victim => _victim ??= _peers.New(VictimLanguage, new Dictionary<string, string>
    {
        ["IPC_FAULT"] = $"{_point}:{Pass}",
        ["IPC_FAULT_ACTION"] = Kills ? "kill" : "stop",
    });

    /// <summary>A process in the survivors' language; each place is a process of its own.</summary>
    public Driven Survivor(string place) => _peers.At(SurvivorLanguage, place);

    /// <summary>A process that has stopped on its way in, with the region lock.</summary>
    public Driven StoppedWithTheLock(string open)
    {
        Driven holder = _peers.New(SurvivorLanguage, new Dictionary<string, string> { ["IPC_FAULT"] = "region.attach.locked", ["IPC_FAULT_ACTION"] = "stop" });
        holder.Begin($"{open} 1 {Name} open=existing");
        holder.WaitUntilStopped();
        return holder;
    }

    /// <summary>Waits until the victim has met its fault point. It fails when the victim gets past it.</summary>
    public void WaitForFault()
    {
        if (Kills)
        {
            Watchdog.Until(() => Victim.HasExited || Victim.HasAnswered, $"the victim to reach {_point}");
            Assert.False(Victim.HasAnswered && !Victim.HasExited, $"{VictimLanguage} never reached {_point}");
            Assert.Equal(SigKill, Victim.WaitForExit());
        }
        else
        {
            Watchdog.Until(() => Victim.IsStopped || Victim.HasAnswered || Victim.HasExited, $"the victim to reach {_point}");
            Assert.True(Victim.IsStopped, $"{VictimLanguage} never stopped at {_point}");
        }
    }

    /// <summary>Waits until somebody has said on this waiter of the body that it sleeps: threads of a runtime sleep for reasons of their own, too.</summary>
    public void WaitForSleeper(int waiter)
    {
        using var region = new LiveRegion(File);
        Watchdog.Until(() => (region[(long)region.U64(Wire.Region.BodyOffset) + waiter] & 1) != 0, $"a sleeper at {waiter} of {Name}");
    }

    /// <summary>What this waiter of the body asks of publishers.</summary>
    public uint FenceRequired(int waiter)
    {
        using var region = new LiveRegion(File);
        return region[region.Body + waiter + Wire.Waiter.FenceRequired];
    }

    /// <summary>The word of a slot of a listener.</summary>
    public ulong SlotWord(int slot)
    {
        using var region = new LiveRegion(File);
        return region.U64((long)region.U64(region.Body + Wire.Listener.SlotsOffset) + slot * Wire.Listener.SlotSize);
    }

    /// <summary>
    /// The region is as if the fault had not been: so many live participants in the table and no others, and nobody holds the
    /// region lock. The bytes are read without either library.
    /// </summary>
    public void CheckTable(int live)
    {
        using var region = new LiveRegion(_peers.Directory.FileOf(Name));
        Watchdog.Until(() => Taken(region) == live, $"{live} participants in the table of {Name}");
        Assert.Equal(Wire.Region.StateLive, region[Wire.Region.State]);
        Watchdog.Until(() => region.TryLock(Wire.Region.LockOfRegion), "the region lock to be free");
        for (int i = 0; i < region[Wire.Region.ParticipantCapacity]; i++)
        {
            bool free = region[Wire.Region.Participants + i * Wire.Participant.Size] == 0;
            Assert.Equal(free, region.TryLock(Wire.Region.LockOfParticipant + i));
        }
    }

    /// <summary>A walk over the whole region finds nothing of the dead and nothing half-made. <paramref name="depth"/>: idle or empty.</summary>
    public void CheckAsNew(string depth) => _peers.MustBeAsNew(Name, depth);

    /// <summary>Nothing of this name is left in the directory, nor anything without a proper name.</summary>
    public void CheckNothingLeft() => Assert.Empty(_peers.Directory.FilesOf(Name));

    /// <summary>What the answer says, if it is no failure.</summary>
    public static Answer Good(Answer answer)
    {
        Assert.True(answer.Status == IpcStatus.Ok, answer.Line);
        return answer;
    }

    /// <summary>The end of a scene between a process that sends and one that receives: nothing is left to be received, nothing of the victim is left, and when they have
    /// closed nothing at all. <paramref name="depth"/>: idle or empty.</summary>
    public void End(Driven sender, Driven receiver, string depth)
    {
        if (!Kills)
            Victim.Must("close 1");
        Assert.Equal(IpcStatus.Timeout, receiver.Do("read 1 timeout=20").Status); // who waits looks for the dead
        CheckTable(live: 2);
        CheckAsNew(depth);
        sender.Must("close 1");
        receiver.Must("close 1");
        CheckNothingLeft();
    }

    public string File => _peers.Directory.FileOf(Name);

    public IReadOnlyList<string> Files => _peers.Directory.FilesOf(Name);

    public void Dispose() => _victim?.Dispose();

    private static int Taken(LiveRegion region) => Enumerable.Range(0, (int)region[Wire.Region.ParticipantCapacity])
        .Count(i => region[Wire.Region.Participants + i * Wire.Participant.Size] != 0);
}
