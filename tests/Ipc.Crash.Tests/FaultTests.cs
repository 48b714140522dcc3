using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// Every fault point, in both languages, killed and stopped, with survivors of both languages: they go on, nothing that was
/// published is lost, nothing comes twice without its flag, and no entry, lock or file is left.
/// </summary>
public sealed class FaultTests(Peers peers)
{
    public static TheoryData<string, string, Language, Language, FaultAction> OfListeners => Of(IsOfAListener);

    public static TheoryData<string, string, Language, Language, FaultAction> OfAllOthers => Of(static fault => !IsOfAListener(fault) && !IsOfALeaver(fault));

    /// <summary>Whoever leaves gives up after five seconds: <see cref="LeavingTests"/> plays these.</summary>
    public static TheoryData<string, string, Language, Language, FaultAction> OfLeavers => Of(IsOfALeaver);

    private static TheoryData<string, string, Language, Language, FaultAction> Of(Func<FaultCase, bool> wanted)
    {
        var data = new TheoryData<string, string, Language, Language, FaultAction>();
        foreach (FaultCase fault in FaultTable.Cases.Where(wanted))
        {
            foreach (Language victim in Enum.GetValues<Language>())
            {
                foreach (Language survivor in Enum.GetValues<Language>())
                {
                    if (survivor == victim && !Switches.LongRuns && IsOfManyProcesses(fault))
                        continue;
                    foreach (FaultAction action in Enum.GetValues<FaultAction>())
                        data.Add(fault.Point, fault.Variant, victim, survivor, action);
                }
            }
        }
        return data;
    }

    private static bool IsOfAListener(FaultCase fault) => fault.Point.Split('.')[0] is "listener" or "connect";

    private static bool IsOfALeaver(FaultCase fault) => fault.Point == "region.leave.given_up";

    /// <summary>Queue, topic, pool and locks have so many points that pairs of one language are left to the long runs.</summary>
    private static bool IsOfManyProcesses(FaultCase fault) => fault.Point.Split('.')[0] is not ("region" or "recover" or "ring" or "waiter" or "listener" or "connect" or "connection");

    [Theory]
    [MemberData(nameof(OfListeners))]
    public void TheSurvivorsOfAListenerGoOn(string point, string variant, Language victim, Language survivor, FaultAction action) =>
        Play(peers, point, variant, victim, survivor, action);

    [Theory]
    [MemberData(nameof(OfAllOthers))]
    public void TheSurvivorsGoOn(string point, string variant, Language victim, Language survivor, FaultAction action) =>
        Play(peers, point, variant, victim, survivor, action);

    internal static void Play(Peers peers, string point, string variant, Language victim, Language survivor, FaultAction action)
    {
        FaultCase fault = FaultTable.Cases.Single(row => row.Point == point && row.Variant == variant);
        using var scene = new Scene(peers, point, fault.Pass, victim, survivor, action);
        fault.Play(scene);
    }

    /// <summary>The points are typed three times: in C, in C#, here. Whoever adds one has to play it.</summary>
    [Fact]
    public void BothLanguagesHaveThePointsOfTheTableAndNoOthers()
    {
        string[] table = [.. FaultTable.Cases.Select(row => row.Point).Distinct().Order(StringComparer.Ordinal)];
        Assert.Equal(table, PointsIn("src/Ipc.Native/src", "*.c", "*.h"));
        Assert.Equal(table, PointsIn("src/Ipc.Core", "*.cs"));
    }

    /// <summary>Every string in the sources of a library that looks like the name of a fault point.</summary>
    private static string[] PointsIn(string folder, params string[] patterns)
    {
        var names = new SortedSet<string>(StringComparer.Ordinal);
        foreach (string file in patterns.SelectMany(pattern => Directory.GetFiles(Path.Combine(PeerPrograms.Top, folder), pattern, SearchOption.AllDirectories)))
        {
            if (file.Contains("/obj/", StringComparison.Ordinal) || file.Contains("/bin/", StringComparison.Ordinal))
                continue;
            foreach (Match match in Regex.Matches(File.ReadAllText(file), "\"((?:region|recover|ring|waiter|listener|connect|connection|named|queue|topic|pool|mutex|semaphore|event|sync)\\.[a-z_]+(?:\\.[a-z_]+)?)\""))
                names.Add(match.Groups[1].Value);
        }
        return [.. names];
    }
}
