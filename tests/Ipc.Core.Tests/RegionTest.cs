using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

// IPC_DIR is the process's: one test at a time has it.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Ipc.Core.Tests;

/// <summary>A test with a region directory of its own. A file that it leaves there fails it, unless messages wait in it.</summary>
public abstract class RegionTest : IDisposable
{
    private readonly Stack<IDisposable> _owned = new();
    private readonly string? _before = Environment.GetEnvironmentVariable("IPC_DIR");

    protected RegionTest()
    {
        Regions = new RegionDirectory();
        Environment.SetEnvironmentVariable("IPC_DIR", Regions.Path);
    }

    protected static CancellationToken None => CancellationToken.None;

    /// <summary>A deadline that only a hang reaches.</summary>
    protected static Deadline Hang => Deadline.After(Watchdog.Patience);

    protected RegionDirectory Regions { get; }

    /// <summary>Set by tests that leave a file on purpose.</summary>
    protected bool LeavesFiles { get; set; }

    protected static RingOptions Small(OpenMode mode = OpenMode.OpenOrCreate, WaitMode wait = WaitMode.Adaptive) =>
        new() { Capacity = 4096, LoanBudget = 0, OpenMode = mode, WaitMode = wait };

    /// <summary>Disposed at the end of the test, the last one first, before it is looked for left-overs.</summary>
    protected T Own<T>(T mine) where T : IDisposable
    {
        _owned.Push(mine);
        return mine;
    }

    /// <summary>Everything behind a region's name, byte by byte.</summary>
    protected LiveRegion Look(string name) => new(Regions.FileOf(name));

    protected static IpcException Fails(IpcStatus status, Action action)
    {
        IpcException error = Assert.ThrowsAny<IpcException>(action);
        Assert.Equal(status, error.Status);
        Assert.NotEmpty(error.Message);
        return error;
    }

    /// <summary>Runs on a thread of its own; Join fails the test when it hangs, and rethrows what it threw.</summary>
    protected static Background Run(Action action) => new(action);

    public void Dispose()
    {
        while (_owned.Count > 0)
            _owned.Pop().Dispose();
        Environment.SetEnvironmentVariable("IPC_DIR", _before);
        // Windows: a removed region has a file while it is mapped, and a queue leaves its memory to the collector, who may come later.
        string[] left = LeavesFiles
            ? []
            : [.. Directory.GetFileSystemEntries(Regions.Path).Where(static path => !Unread.IsIn(path)).Select(static path => Path.GetFileName(path)).Where(static file => !RegionDirectory.IsRemoved(file))];
        Regions.Dispose();
        GC.SuppressFinalize(this);
        Assert.Equal("", string.Join(' ', left));
    }
}
