using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Architecture.Tests;

/// <summary>A number that both libraries have is the same number. Those of the layout are typed twice in the layout tests; these are how long, how often and how many.</summary>
public sealed partial class TwinConstantTests
{
    private const string Native = "src/Ipc.Native/src/", Core = "src/Ipc.Core/";

    /// <summary>File and name in C, file and name in C#; nanoseconds to the unit of C#, where that is another.</summary>
    private static readonly (string C, string Name, string CSharp, string Constant, int Unit)[] s_pairs =
    [
        ("waiting/wait.h", "IPC_SPIN_MAX_NS", "Waiting/SpinBudget.cs", "Longest", 1),
        ("waiting/wait.h", "IPC_SPIN_MIN_NS", "Waiting/SpinBudget.cs", "Shortest", 1),
        ("waiting/wait.h", "IPC_SPIN_LOOKS", "Waiting/WaitControl.cs", "SpinsBetweenChecks", 1),
        ("waiting/wait.h", "IPC_SPIN_PAUSE_NS", "Waiting/SpinBudget.cs", "Pause", 1),
        ("waiting/wait.h", "IPC_SPIN_LONG_PAUSE_NS", "Waiting/SpinBudget.cs", "LongPause", 1),
        ("waiting/wait.h", "IPC_SPIN_FIRST_PROBE", "Waiting/SpinBudget.cs", "FirstProbe", 1),
        ("waiting/wait.h", "IPC_SPIN_LAST_PROBE", "Waiting/SpinBudget.cs", "LastProbe", 1),
        ("waiting/lag.h", "IPC_LAG_LOOKS", "Waiting/StreamLag.cs", "Looks", 1),
        ("waiting/lag.h", "IPC_LAG_STREAM", "Waiting/StreamLag.cs", "Stream", 1),
        ("waiting/lag.h", "IPC_LAG_PORTION", "Waiting/StreamLag.cs", "Portion", 1),
        ("waiting/lag.h", "IPC_LAG_PENALTY", "Waiting/StreamLag.cs", "Penalty", 1),
        ("waiting/lag.h", "IPC_LAG_MAX_NS", "Waiting/StreamLag.cs", "Longest", 1),
        ("waiting/lag.h", "IPC_LAG_MIN_NS", "Waiting/StreamLag.cs", "Shortest", 1),
        ("waiting/lag.h", "IPC_LAG_SLOT_NS", "Waiting/StreamLag.cs", "PerSlot", 1),
        ("waiting/watch.c", "POLL_MS", "Waiting/ProcessWatch.cs", "PollInterval", 1),
        ("waiting/watch.c", "RETRY_MS", "Waiting/ProcessWatch.cs", "RetryInterval", 1),
        ("waiting/wait.c", "LOOK_AROUND_NS", "Waiting/ProcessWatch.cs", "PollInterval", 1_000_000),
        ("waiting/wait.c", "DOZE_NS", "Waiting/Waiter.cs", "SliceLength", 1),
        ("waiting/waiter.h", "IPC_WAITER_DOUBT_NS", "Waiting/Waiter.cs", "SlicePeriod", 1),
        ("queues/queue.h", "IPC_QUEUE_NAP_NS", "Queues/QueueSpaceCondition.cs", "LongestNap", 1),
        ("queues/queue_growth.c", "GROW_AGAIN_NS", "Queues/QueueGrowth.cs", "MemoryRetry", 1),
        ("queues/queue_walk.c", "SKIPPED_MAX", "Queues/QueueWalk.cs", "MostSkipped", 1),
        ("queues/queue_walk.c", "ROUNDS_MAX", "Queues/QueueReceiver.cs", "MostOverruns", 1),
        ("queues/queue_walk.c", "LONG_WALKS_MAX", "Queues/QueueReceiver.cs", "MostLongWalks", 1),
        ("queues/queue.c", "SPARE_LOOKS", "Queues/QueueWalk.cs", "SpareLooks", 1),
        ("topics/topic_room.c", "LOAN_WAIT_NS", "Topics/TopicWriter.Loans.cs", "LoanNap", 1),
        ("topics/topic_writer.c", "FETCHED", "Topics/TopicWriter.cs", "Fetched", 1),
        ("rings/ring.c", "PARTICIPANTS", "Rings/RingEntrance.cs", "Participants", 1),
        ("sync/sync_region.c", "PARTICIPANTS", "Sync/SyncEntrance.cs", "Participants", 1),
        ("pools/pool.h", "IPC_POOL_LOOK_NS", "Rings/RingWriter.Loans.cs", "LongestSleep", 1),
        ("pools/pool.h", "IPC_POOL_WINDOW_MESSAGES", "Pools/Pool.Shrink.cs", "WindowMessages", 1),
        ("pools/pool.h", "IPC_POOL_WINDOW_BYTES", "Pools/Pool.Shrink.cs", "WindowBytes", 1),
        ("pools/pool_shrink.c", "SPARE_PAGES", "Pools/Pool.Shrink.cs", "SparePages", 1),
        ("regions/region_name.c", "NAME_MAX_LENGTH", "Regions/RegionName.cs", "MaxLength", 1),
        ("connections/connect.c", "LOOK_MAX_NS", "Connections/Connection.ClientAsync.cs", "LongestNap", 1_000_000),
    ];

    [Fact]
    public void ANumberThatBothHaveIsTheSame()
    {
        List<string> wrong = [];
        foreach ((string c, string name, string csharp, string constant, int unit) in s_pairs)
        {
            BigInteger there = InC(c, name), here = InCSharp(csharp, constant) * unit;
            if (there != here)
                wrong.Add($"{c}: {name} is {there}, {csharp}: {constant} is {here}");
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    private static BigInteger InC(string file, string name)
    {
        Match match = Regex.Match(File.ReadAllText(Repository.PathOf(Native + file)), $@"^#define {name}\s+(?<value>\(.*?\)|\S+)", RegexOptions.Multiline);
        Assert.True(match.Success, $"{file} has no {name}");
        return Value(match.Groups["value"].Value);
    }

    private static BigInteger InCSharp(string file, string constant)
    {
        Match match = Regex.Match(File.ReadAllText(Repository.PathOf(Core + file)), $@"\bconst \w+ (\w+ = [^;,]+, )*{constant} = (?<value>[^;,]+)");
        Assert.True(match.Success, $"{file} has no {constant}");
        return Value(match.Groups["value"].Value);
    }

    /// <summary>A number, or one shifted to the left.</summary>
    private static BigInteger Value(string text)
    {
        BigInteger[] parts = [.. Number.Matches(text).Select(static match =>
            BigInteger.Parse(match.Groups["digits"].Value.Replace("_", "", StringComparison.Ordinal), CultureInfo.InvariantCulture))];
        Assert.InRange(parts.Length, 1, 2);
        return parts.Length == 1 ? parts[0] : parts[0] << (int)parts[1];
    }

    [GeneratedRegex(@"\b(?<digits>[0-9][0-9_]*)[uUlL]*\b")]
    private static partial Regex Number { get; }
}
