using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

[assembly: AssemblyFixture(typeof(Ipc.Rpc.RabbitMq.Tests.SharedRegions))]
// These tests wait, for a broker or for a time, far more than they compute: many of them do so side by side.
[assembly: CollectionBehavior(MaxParallelThreads = Ipc.Rpc.RabbitMq.Tests.SharedRegions.SideBySide)]

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What tests have in common that run in one process at a time: its IPC_DIR, in which the service of each has a name of its own, and its threads. A file that is
/// left there fails its test, or else the run.</summary>
public sealed class SharedRegions : IDisposable
{
    /// <summary>How many tests.</summary>
    public const int SideBySide = 6;

    private readonly string? _before = Environment.GetEnvironmentVariable("IPC_DIR");
    private readonly RegionDirectory? _directory;

    public SharedRegions()
    {
        if (Environment.GetEnvironmentVariable(OtherEndTests.AddressVariable) is null) // else it is another end's of this program, which has its parent's
        {
            _directory = new RegionDirectory();
            Environment.SetEnvironmentVariable("IPC_DIR", _directory.Path);
        }

        // Each may block the thread of the pool that it has (Watchdog.Until); the library under test has as many for itself as it would have beside one.
        ThreadPool.GetMinThreads(out int workers, out int ports);
        ThreadPool.SetMinThreads(workers + (2 * SideBySide), ports);
    }

    /// <summary>What a service of shared memory has left, unless messages wait in it.</summary>
    internal static IReadOnlyList<string> LeftOf(string service) =>
        [.. Left(Environment.GetEnvironmentVariable("IPC_DIR")!, service).Concat(Left(Environment.GetEnvironmentVariable("IPC_DIR")!, service + "~*")).Concat(Left(Environment.GetEnvironmentVariable("IPC_DIR")!, service + "-*"))];

    /// <summary>Where a region of that name is.</summary>
    internal static string FileOf(string name) => Path.Combine(Environment.GetEnvironmentVariable("IPC_DIR")!, name);

    public void Dispose()
    {
        if (_directory is null)
            return;
        Environment.SetEnvironmentVariable("IPC_DIR", _before);
        string left = string.Join(' ', Left(_directory.Path, "*"));
        _directory.Dispose();
        Assert.Equal("", left);
    }

    private static IEnumerable<string> Left(string directory, string pattern) => Directory.GetFileSystemEntries(directory, pattern)
        .Where(static path => Directory.Exists(path) || !Unread.IsIn(path)) // a directory is another process's
        .Select(static path => Path.GetFileName(path));
}
