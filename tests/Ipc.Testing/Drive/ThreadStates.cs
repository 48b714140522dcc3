using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace Ipc.Testing.Drive;

/// <summary>What the kernel says of threads.</summary>
public static class ThreadStates
{
    /// <summary>
    /// Waits until there was a moment at which all these threads slept. One look at each does not tell: the first may have been woken by the second before that fell
    /// asleep. So each is looked at again, and must not have been switched to in between. Some wait by looking now and then, and beside a busy thread are never seen
    /// asleep: these are known by how often they have gone to sleep since the first look.
    /// </summary>
    /// <param name="folders">Of a process in /proc: those of its threads.</param>
    /// <param name="what">What is waited for.</param>
    public static void UntilAsleep(Func<IEnumerable<string>> folders, string what)
    {
        const int Polls = 100;
        Look first = LookAt(folders()), before = first;
        Watchdog.Until(() =>
        {
            Look now = LookAt(folders());
            bool undisturbed = now.AllSleep && before.AllSleep && now.Switches == before.Switches;
            before = now;
            return undisturbed || now.Sleeps - first.Sleeps >= Polls;
        }, what);
    }

    private static Look LookAt(IEnumerable<string> folders)
    {
        bool asleep = true;
        long sleeps = 0;
        string switches = "";
        foreach (string folder in folders)
        {
            string[] status;
            try
            {
                status = File.ReadAllLines($"{folder}/status");
            }
            catch (IOException)
            {
                continue; // it has ended
            }

            string voluntary = Field(status, "voluntary_ctxt_switches:");
            asleep = asleep && Field(status, "State:") is not ("" or ['R' or 'D', ..]); // it runs, or will when a page has come
            sleeps += long.TryParse(voluntary, CultureInfo.InvariantCulture, out long count) ? count : 0;
            switches += $"{folder} {voluntary} {Field(status, "nonvoluntary_ctxt_switches:")}\n";
        }

        return new Look(asleep, sleeps, switches);
    }

    private static string Field(string[] status, string name) =>
        Array.Find(status, line => line.StartsWith(name, StringComparison.Ordinal))?[name.Length..].Trim() ?? "";

    /// <param name="AllSleep">None ran.</param>
    /// <param name="Sleeps">How often they have gone to sleep, in all.</param>
    /// <param name="Switches">Each of them, and how often it has given up the processor.</param>
    private readonly record struct Look(bool AllSleep, long Sleeps, string Switches);
}
