using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>
/// Who sets the clock of the machine neither shortens a wait nor prolongs it: a process in which the wall clock jumps a day ahead and a day back at every look
/// (tests/peers/c/jumping_clock.c) waits as long as its deadlines say.
/// </summary>
public sealed class ClockTests(Peers peers)
{
    private static readonly TimeSpan _wait = TimeSpan.FromMilliseconds(150);
    private static readonly string _soon = $"timeout={_wait.TotalMilliseconds}";

    /// <summary>A name for each, what leads to the wait, and the wait; * is the region.</summary>
    private static readonly (string Name, string[] Before, string Wait)[] _waits =
    [
        ("ring.read", ["open-writer 1 *", "open-reader 2 * open=existing"], "read 2"),
        ("ring.write", ["open-writer 1 * capacity=4096", "open-reader 2 * open=existing", "write 1 1 2000 1"], "write 1 2 2040 2"),
        ("ring.wait-peer", ["open-reader 1 *"], "wait-peer 1"),
        ("queue.read", ["open-queue 1 * block=64 count=2"], "read 1"),
        ("queue.write", ["open-queue 1 * block=64 count=2", "write 1 1 20 1", "write 1 2 20 2"], "write 1 3 20 3"),
        ("topic.read", ["open-publisher 1 * block=64 count=2", "open-subscriber 2 * open=existing"], "read 2"),
        ("topic.write", ["open-publisher 1 * block=64 count=2", "open-subscriber 2 * open=existing", "write 1 1 20 1", "write 1 2 20 2"], "write 1 3 20 3"),
        ("mutex", ["open-mutex 1 *", "open-mutex 2 * open=existing", "acquire 1"], "acquire 2"),
        ("semaphore", ["open-semaphore 1 * permits=1", "acquire 1"], "acquire 1"),
        ("event", ["open-event 1 *"], "wait 1"),
        ("listener", ["listen 1 *"], "next 1"),
        ("connect", ["listen 1 *"], "connect 2 *"),
        ("named.next", ["open-named-listener 1 *"], "named-next 1"),
        ("named.login", ["open-named-listener 1 *", "open-named 2 * trader"], "named-login 2"),
        ("named.receive", ["open-named-listener 1 *", "open-named 2 * trader"], "named-receive 2"),
        ("named.send", ["open-named-listener 1 *", "open-named 2 * trader to_server=4096 to_client=4096 budget=0", "named-send 2 1500 timeout=1000", "named-send 2 1500 timeout=1000"], "named-send 2 1500"),
    ];

    public static TheoryData<Language, string> Waits
    {
        get
        {
            var data = new TheoryData<Language, string>();
            foreach (Language language in Enum.GetValues<Language>())
            {
                foreach ((string name, _, _) in _waits)
                    data.Add(language, name);
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Waits))]
    public void AWaitTakesAsLongAsItsDeadlineSaysWhileTheWallClockJumps(Language language, string what)
    {
        string clock = Path.Combine(PeerPrograms.NativeBuild, "tests", "native", "libjumping_clock.so");
        Assert.SkipUnless(File.Exists(clock) && PeerPrograms.NativeEmulator == null && !PeerPrograms.NativeHas32Bits, "the build has no jumping clock: it has another platform or 32 bits, or is looked at by a sanitizer");
        string name = peers.NewName("clock");
        using Driven peer = peers.New(language, new Dictionary<string, string> { ["LD_PRELOAD"] = clock });
        (_, string[] before, string wait) = Array.Find(_waits, row => row.Name == what);
        foreach (string command in before)
            peer.Must(command.Replace("*", name, StringComparison.Ordinal));
        ItsWallClockIsWrong(name);

        long began = Stopwatch.GetTimestamp();
        Answer answer = peer.Do($"{wait.Replace("*", name, StringComparison.Ordinal)} {_soon}"); // a day more is a hang, which the watchdog says
        TimeSpan took = Stopwatch.GetElapsedTime(began);
        Assert.Equal(IpcStatus.Timeout, answer.Status);
        Assert.True(took >= _wait, $"{what} gave up after {took.TotalMilliseconds} ms");
    }

    /// <summary>It wrote into the region when it made that.</summary>
    private void ItsWallClockIsWrong(string name)
    {
        using var region = new LiveRegion(peers.Directory.FileOf(name));
        TimeSpan difference = DateTime.UnixEpoch + TimeSpan.FromTicks((long)region.U64(Wire.Region.Created) / 100) - DateTime.UtcNow;
        Assert.True(difference.Duration() > TimeSpan.FromHours(12), "the clock of the peer does not jump");
    }
}
