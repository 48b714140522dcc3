using System;
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

    private sealed class Told : IWatchedRegion
    {
        public ManualResetEventSlim Asked { get; } = new();

        public bool TryRecover()
        {
            Asked.Set();
            return true;
        }
    }
}
