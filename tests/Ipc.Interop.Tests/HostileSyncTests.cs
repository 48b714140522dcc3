using System;
using System.IO;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>
/// A participant writes nonsense into a mutex, a semaphore or an event that two languages use: each call returns with a typed status, and what was
/// put right again works.
/// </summary>
public sealed class HostileSyncTests(Peers peers)
{
    private const int Waiter = 256, Table = 512, Permits = 3; // of the body: docs/wire-format.md section 12
    private static readonly uint[] _values = [0, 1, 2, 3, 4, 7, 255, 257, 4097, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0x8000_0002, 0xFFFF_FFFF];

    public static TheoryData<string, Language, Language> Kinds
    {
        get
        {
            var data = new TheoryData<string, Language, Language>();
            foreach (string kind in new[] { "mutex", "semaphore", "event" })
            {
                data.Add(kind, Language.CSharp, Language.C);
                data.Add(kind, Language.C, Language.CSharp);
            }
            return data;
        }
    }

    /// <summary>Each word of the body, the permits' table and the words behind it included, turned to each of the values while both are in.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void AnyValueInAnyWordIsSurvived(string kind, Language one, Language other)
    {
        using var pair = new SyncPair(peers, one, other, kind, $"permits={Permits} wait=block");
        using var bytes = new LiveRegion(peers.Directory.FileOf(pair.Name));
        int place = 0;
        for (int at = 0; at < Table + (4 * (Permits + 2)); at += 4)
        {
            bool matters = at is 0 or 4 or 128 or (>= Waiter and < Waiter + 16) or >= Table;
            uint before = bytes[bytes.Body + at];
            foreach (uint value in _values)
            {
                if (!matters && !Switches.LongRuns && place++ % 16 != 0)
                    continue;
                bytes[bytes.Body + at] = value;
                Use(pair, pair.One, kind, $"{one}, word {at} = {value:X}");
                bytes[bytes.Body + at] = value;
                Use(pair, pair.Other, kind, $"{other}, word {at} = {value:X}");
                bytes[bytes.Body + at] = before;
            }
            MustWork(pair.One, kind);
            MustWork(pair.Other, kind);
        }
    }

    /// <summary>Who sleeps does so until its deadline, whatever becomes of the words that it sleeps on, and goes on with what was put right.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public void NonsenseInTheWaiterKeepsNobodyBeyondItsDeadline(string kind, Language one, Language other)
    {
        using var pair = new SyncPair(peers, one, other, kind, "wait=block");
        using var bytes = new LiveRegion(peers.Directory.FileOf(pair.Name));
        if (kind != "event")
            pair.One.Must("acquire 1");
        foreach (uint value in _values)
        {
            pair.Other.Begin(kind == "event" ? "wait 1 timeout=40" : "acquire 1 timeout=40");
            pair.Other.WaitUntilAsleep();
            for (int at = Waiter; at < Waiter + 16; at += 4)
                bytes[bytes.Body + at] = value;
            Assert.Equal(IpcStatus.Timeout, pair.Other.Result().Status);
            for (int at = Waiter; at < Waiter + 16; at += 4)
                bytes[bytes.Body + at] = 0;
        }
        if (kind != "event")
            pair.One.Must("release 1");
        MustWork(pair.Other, kind);
    }

    /// <summary>Both ways through, and a newcomer of that language, who checks the body and takes back what nobody holds.</summary>
    private static void Use(SyncPair pair, Driven peer, string kind, string what)
    {
        string[] commands = kind == "event" ? ["wait 1 timeout=1", "set 1", "wait 1 timeout=1", "reset 1"] : ["acquire 1 timeout=1", "release 1", "release 1"];
        try
        {
            Answer[] answers = peer.DoAll([.. commands, $"open-{kind} 2 {pair.Name} open=existing", "close 2"]);
            for (int i = 0; i < commands.Length; i++)
                Check(answers[i].Status, $"{commands[i]}: {what}");
            Check(answers[^2].Status, $"open: {what}");
            Assert.Equal(IpcStatus.Ok, answers[^1].Status);
        }
        catch (Exception error) when (error is EndOfStreamException or TimeoutException)
        {
            throw new InvalidDataException($"{kind}, {what}: {error.Message}");
        }
    }

    private static void Check(IpcStatus status, string what) => Assert.True(
        status is IpcStatus.Ok or IpcStatus.Abandoned or IpcStatus.Timeout or IpcStatus.InvalidState or IpcStatus.Corrupt, $"{what}: {status}");

    private static void MustWork(Driven peer, string kind)
    {
        if (kind == "event")
        {
            peer.Must("set 1");
            peer.Must("wait 1 timeout=0");
            return;
        }
        IpcStatus status = peer.Do("acquire 1 timeout=0").Status;
        Assert.True(status is IpcStatus.Ok or IpcStatus.Abandoned, status.ToString());
        peer.Must("release 1");
    }
}
