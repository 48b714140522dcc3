using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Security.Principal;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>State that flows with code, and who has seen some that was not its own.</summary>
internal sealed class Ambient
{
    private static readonly AsyncLocal<string?> _local = new();
    private static readonly CultureInfo _culture = (CultureInfo)CultureInfo.InvariantCulture.Clone(); // others may not be installed
    private readonly ConcurrentQueue<string> _strays = new();
    private int _looks;

    public int Looks => Volatile.Read(ref _looks);

    /// <summary>What the present code has inherited; empty for nothing.</summary>
    public static string Present
        => (_local.Value ?? string.Empty)
            + (ReferenceEquals(CultureInfo.CurrentCulture, _culture) ? " culture" : string.Empty)
            + (ReferenceEquals(CultureInfo.CurrentUICulture, _culture) ? " ui culture" : string.Empty)
            + (Thread.CurrentPrincipal is not null ? " principal" : string.Empty)
            + (SynchronizationContext.Current is Scheduler ? " scheduler" : string.Empty)
            + (Activity.Current is not null ? " activity" : string.Empty);

    /// <summary>Sets all of it.</summary>
    public static void Set(string who)
    {
        _local.Value = who;
        CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = _culture;
        Thread.CurrentPrincipal = new GenericPrincipal(new GenericIdentity(who), null);
        SynchronizationContext.SetSynchronizationContext(new Scheduler());
        Activity.Current = new Activity(who).Start();
    }

    /// <summary>Somebody's code begins: it should find nothing.</summary>
    public void Look(string where)
    {
        Interlocked.Increment(ref _looks);
        if (Present.Length != 0)
            _strays.Enqueue(where + " saw " + Present);
    }

    /// <summary>It should find nothing, and leaves something behind.</summary>
    public void LookAndSet(string where)
    {
        Look(where);
        Set(where);
    }

    public void AssertNothingWasSeen() => Assert.Empty(_strays);

    private sealed class Scheduler : SynchronizationContext;
}
