using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Threading;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Whom the watch thread watches, and how.</summary>
public class ProcessWatchTests
{
    private static readonly TimeSpan _watchdog = TimeSpan.FromSeconds(60);

    /// <summary>Each container has a process 1, and two that start together have the same start time in ticks. Taken for the process that a pidfd tells of,
    /// one of the other name space was never asked about.</summary>
    [Fact]
    public void AProcessOfTheSameNumberInAnotherPidNamespaceIsAskedAboutByItsLocks()
    {
        ProcessIdentity here = Os.Current.Self;
        Told byDescriptor = new(), byLocks = new();
        ProcessWatch.Watch(here, byDescriptor);
        try
        {
            ProcessWatch.Watch(new ProcessIdentity(here.Pid, here.StartTime, here.PidNamespace + 1), byLocks);

            Assert.True(byLocks.Asked.Wait(_watchdog, TestContext.Current.CancellationToken));
            Assert.False(byDescriptor.Asked.IsSet); // the kernel has not reported its end
        }
        finally
        {
            ProcessWatch.Forget(byLocks);
            ProcessWatch.Forget(byDescriptor);
        }
    }

    /// <summary>The lock of a participant may outlive its process: a child that it forked has its open files. The watch forgot the process with the kernel's event,
    /// and nobody ever looked at that participant again.</summary>
    [Fact]
    public void AParticipantThatIsStillThereWhenItsProcessHasEndedIsAskedAboutUntilItIsNot()
    {
        using var child = Process.Start("sleep", "1000");
        Told told = new() { HeldFor = 4 };
        ProcessWatch.Watch(IdentityOf(child), told);
        try
        {
            Assert.False(told.Asked.IsSet);
            child.Kill();
            Assert.True(told.LetGo.Wait(_watchdog, TestContext.Current.CancellationToken), $"asked {told.Times} times");
        }
        finally
        {
            ProcessWatch.Forget(told);
        }
    }

    /// <summary>The same for one that had ended before it was watched.</summary>
    [Fact]
    public void AParticipantWhoseProcessHadEndedBeforeIsAskedAboutUntilItIsGone()
    {
        using var child = Process.Start("sleep", "1000");
        ProcessIdentity identity = IdentityOf(child);
        child.Kill();
        child.WaitForExit();
        Told told = new() { HeldFor = 4 };
        ProcessWatch.Watch(identity, told);
        try
        {
            Assert.True(told.LetGo.Wait(_watchdog, TestContext.Current.CancellationToken), $"asked {told.Times} times");
        }
        finally
        {
            ProcessWatch.Forget(told);
        }
    }

    /// <summary>What hinders a recovery may pass, no memory for one. It was tried once, and the dead participant stayed.</summary>
    [Fact]
    public void ARecoveryThatFailsIsTriedAgain()
    {
        Told told = new() { FailsFor = 2 };
        ProcessWatch.RecoverSoon(told);
        try
        {
            Assert.True(told.Asked.Wait(_watchdog, TestContext.Current.CancellationToken), $"asked {told.Times} times");
        }
        finally
        {
            ProcessWatch.Forget(told);
        }
    }

    private static ProcessIdentity IdentityOf(Process process)
    {
        string stat = File.ReadAllText($"/proc/{process.Id}/stat");
        string startTime = stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[19]; // field 22
        return new ProcessIdentity(process.Id, ulong.Parse(startTime, CultureInfo.InvariantCulture), Os.Current.Self.PidNamespace);
    }

    private sealed class Told : IWatchedRegion
    {
        private int _times;

        /// <summary>So many questions are answered by an exception.</summary>
        public int FailsFor { get; init; }

        /// <summary>Until it was asked so often, the participant is there.</summary>
        public int HeldFor { get; init; }

        public int Times => Volatile.Read(ref _times);

        /// <summary>Asked, and answered.</summary>
        public ManualResetEventSlim Asked { get; } = new();

        public ManualResetEventSlim LetGo { get; } = new();

        public bool TryRecover()
        {
            if (Interlocked.Increment(ref _times) <= FailsFor)
                throw new InvalidOperationException("no recovery yet");
            Asked.Set();
            return true;
        }

        public bool IsHeldBy(in ProcessIdentity process)
        {
            if (Times < HeldFor)
                return true;
            LetGo.Set();
            return false;
        }
    }
}
