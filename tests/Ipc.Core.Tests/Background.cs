using System;
using System.IO;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading;
using Ipc.Testing.Drive;

namespace Ipc.Core.Tests;

/// <summary>Something that goes on beside the test.</summary>
public sealed class Background
{
    private readonly Thread _thread;
    private ExceptionDispatchInfo? _error;
    private int _id;

    public Background(Action action)
    {
        _thread = new Thread(() =>
        {
            Volatile.Write(ref _id, OperatingSystem.IsWindows() ? Environment.CurrentManagedThreadId : CurrentThreadId());
            try
            {
                action();
            }
#pragma warning disable CA1031 // rethrown in Join
            catch (Exception error)
#pragma warning restore CA1031
            {
                _error = ExceptionDispatchInfo.Capture(error);
            }
        })
        { IsBackground = true };
        _thread.Start();
    }

    /// <summary>It sleeps in the kernel (or has ended): nothing but what the test does next can make it go on. (A thread that spins never gets there.)</summary>
    public void UntilAsleep()
    {
        Watchdog.Until(() => Volatile.Read(ref _id) != 0, "a thread to start");
        if (OperatingSystem.IsWindows())
        {
            Thread.Sleep(100); // nothing there says what a thread does
            return;
        }

        ThreadStates.UntilAsleep(() => _thread.IsAlive ? [$"/proc/self/task/{_id}"] : [], "a thread to sleep");
    }

    /// <summary>What this thread alone has used.</summary>
    public TimeSpan ProcessorTime() => TimeSpan.FromMicroseconds(
        long.Parse(File.ReadAllText($"/proc/self/task/{_id}/schedstat").Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture) / 1000.0);

    /// <summary>How often it has gone to sleep.</summary>
    public long Sleeps()
    {
        const string Name = "voluntary_ctxt_switches:";
        string line = Array.Find(
            File.ReadAllLines($"/proc/self/task/{_id}/status"), line => line.StartsWith(Name, StringComparison.Ordinal))!;
        return long.Parse(line[Name.Length..], System.Globalization.CultureInfo.InvariantCulture);
    }

    public void Join()
    {
        if (!_thread.Join(Watchdog.Patience))
            throw new TimeoutException("the background thread hangs");
        _error?.Throw();
    }

    [DllImport("libc", EntryPoint = "gettid")]
    private static extern int CurrentThreadId();
}
