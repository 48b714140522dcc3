using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;

namespace Ipc.Build.Promises;

/// <summary>The promises that were broken once, or some of them.</summary>
internal sealed record PromiseList(IReadOnlyList<Promise> Promises)
{
    public static PromiseList Read(int[] numbers) => new([.. Directory.GetFiles(Path.Combine(PeerPrograms.Top, "tests", "promises"), "*-*.txt").Order(StringComparer.Ordinal)
        .Select(Promise.Read).Where(promise => numbers.Length == 0 || numbers.Contains(promise.Number))]);

    public int Show()
    {
        foreach (Promise promise in Promises)
            Console.WriteLine($"{promise.Number:00}  {promise.Title}");
        return 0;
    }

    /// <summary>Says of each whether it holds. Returns 0 when all do.</summary>
    public int CheckAll(string? given)
    {
        using Runner runner = new(given);
        runner.RunAll(Promises.SelectMany(static promise => promise.Checks));
        List<Check> again = [];
        int held = 0;
        foreach (Promise promise in Promises)
        {
            List<Check> bad = [.. promise.Checks.Where(check => !Holds(check))];
            held += promise.Checks.Count != 0 && bad.Count == 0 ? 1 : 0;
            Console.WriteLine($"  {(promise.Checks.Count != 0 && bad.Count == 0 ? "held  " : "BROKEN")}  {promise.Number:00}  {promise.Title}");
            if (promise.Checks.Count == 0)
                Console.WriteLine("              no check");
            foreach (Check check in bad)
                Console.WriteLine($"              {check}");
        }

        foreach (Check check in again)
            Console.WriteLine($"  held in a process of its own only: {check}");
        Console.WriteLine($"{held} held, {Promises.Count - held} broken");
        return held == Promises.Count ? 0 : 1;

        bool Holds(Check check)
        {
            if (runner.HasPassed(check))
                return true;
            if (!runner.HoldsAlone(check))
                return false;
            if (check.Kind != "run")
                again.Add(check);
            return true;
        }
    }
}
