using System;
using System.Diagnostics;
using System.Threading;

namespace Ipc.Testing.Drive;

/// <summary>Waits for conditions, never for times.</summary>
public static class Watchdog
{
    /// <summary>How long anything may take before a test calls it a hang. No test expects to come near it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Waits until the condition holds; fails after <see cref="Patience"/> with what was waited for.</summary>
    public static void Until(Func<bool> condition, string what, TimeSpan? patience = null)
    {
        TimeSpan limit = patience ?? Patience;
        long began = Stopwatch.GetTimestamp();
        while (!condition())
        {
            if (Stopwatch.GetElapsedTime(began) > limit)
                throw new TimeoutException($"waited {limit} for {what}");
            Thread.Yield();
            Thread.Sleep(1); // between two looks; nothing depends on how long
        }
    }
}
