using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Xunit;

// IPC_DIR is the process's: one test at a time has it.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Ipc.Hosting.Tests;

/// <summary>A test with a region directory of its own. A file that it leaves there fails it.</summary>
public abstract class HostTest : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("ipc-hosting-").FullName;
    private readonly string? _before = Environment.GetEnvironmentVariable("IPC_DIR");

    protected HostTest() => Environment.SetEnvironmentVariable("IPC_DIR", _directory);

    protected static TimeSpan Watchdog { get; } = TimeSpan.FromSeconds(30);

    internal LoggedEvents Logged { get; } = new();

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        Environment.SetEnvironmentVariable("IPC_DIR", _before);
        string[] left = Directory.GetFiles(_directory);
        Directory.Delete(_directory, recursive: true);
        Logged.Dispose();
        Assert.Empty(left);
    }

    protected HostApplicationBuilder Builder()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.AddProvider(Logged).SetMinimumLevel(LogLevel.Trace);
        return builder;
    }

    protected static async Task<IHost> Started(HostApplicationBuilder builder)
    {
        IHost host = builder.Build();
        try
        {
            await host.StartAsync().WaitAsync(Watchdog);
            return host;
        }
        catch
        {
            host.Dispose();
            throw;
        }
    }

    protected static async Task Eventually(Func<bool> holds)
    {
        Deadline watchdog = Deadline.After(Watchdog);
        while (!holds())
        {
            Assert.False(watchdog.HasPassed, "waited in vain");
            await Task.Delay(1);
        }
    }
}
