using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What this program does when <see cref="KilledEndTests"/> has started it again as the other end of a stream: it says that it is ready, and serves or consumes until
/// its input ends or it is killed. No tests: the broker is its parent's.</summary>
public sealed class OtherEndTests
{
    public const string AddressVariable = "IPC_TEST_RABBITMQ_ADDRESS";

    public const string ExportVariable = "IPC_TEST_EXPORT", ImportVariable = "IPC_TEST_IMPORT";

    private const string Ready = "the other end is ready";

    private static string Address => Environment.GetEnvironmentVariable(AddressVariable)!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact(Explicit = true)]
    public async Task Serve()
    {
        await using RabbitMqServer server = await RabbitMqServer.StartAsync(Address, TapRpc.Service(new Tap()));
        await UntilInputEndsAsync();
    }

    /// <summary>Publishes the server of a name, and offers the service under another one.</summary>
    [Fact(Explicit = true)]
    public async Task Gateway()
    {
        TimeSpan pause = TimeSpan.FromMilliseconds(20);
        await using RabbitMqExport export = RabbitMqExport.Start(
            Environment.GetEnvironmentVariable(ExportVariable)!, Address, new RabbitMqExportOptions { Broker = new RabbitMqServerOptions { FirstPause = pause } });
        RabbitMqClientOptions options = new() { FirstPause = pause, WaitForReady = true };
        await using RabbitMqImport? import = Environment.GetEnvironmentVariable(ImportVariable) is { Length: > 0 } name
            ? RabbitMqImport.Start(name, Address, new RabbitMqImportOptions { Broker = options })
            : null;
        Watchdog.Until(() => export.IsServing && import is null or { IsServing: true }, "the gateway to serve");
        await UntilInputEndsAsync();
    }

    /// <summary>Sends what waits in an outbox.</summary>
    [Fact(Explicit = true)]
    public async Task Outbox()
    {
        RabbitMqClientOptions options = new() { FirstPause = TimeSpan.FromMilliseconds(20) };
        await using RabbitMqOutbox outbox = RabbitMqOutbox.Open(Environment.GetEnvironmentVariable(ExportVariable)!, Address, new RabbitMqOutboxOptions { Broker = options });
        await UntilInputEndsAsync();
    }

    /// <summary>This program once more, ready.</summary>
    internal static OtherProcess Start(string what, IReadOnlyDictionary<string, string> environment)
    {
        OtherProcess process = new(
            true,
            environment,
            Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? Environment.ProcessPath! : "dotnet", typeof(OtherEndTests).Assembly.Location, "-noLogo", "-noColor", "-explicit", "only", "-method", typeof(OtherEndTests).FullName + "." + what);
        while (!process.NextLine().Contains(Ready, StringComparison.Ordinal))
        {
        }

        return process;
    }

    [Fact(Explicit = true)]
    public async Task ServeSink()
    {
        await using RabbitMqServer server = await RabbitMqServer.StartAsync(Address, SinkRpc.Service(new Sink()));
        await UntilInputEndsAsync();
    }

    /// <summary>What <see cref="KilledEndTests"/> sends itself.</summary>
    [Fact(Explicit = true)]
    public async Task Send()
    {
        await using RabbitMqClient client = await RabbitMqClient.ConnectAsync(Address, new RabbitMqClientOptions { StreamLease = TimeSpan.FromSeconds(6) }, Cancel);
        ISink sink = client.For<ISink>();
        _ = sink.TakeAsync("", new Source(-1), Cancel);
        _ = sink.TakeAsync("", Waiting(10), Cancel);
        _ = sink.TakeAsync("hold", new Source(-1), Cancel);
        _ = Task.Run(
            async () =>
            {
                await foreach (int item in sink.Echo("", new Source(-1), Cancel))
                {
                }
            },
            Cancel);
        await UntilInputEndsAsync();
    }

    /// <summary>So many items, and then none, and no end.</summary>
    internal static Source Waiting(int count) => new(-1, async (item, cancel) =>
    {
        if (item > count)
            await Task.Delay(Timeout.Infinite, cancel);
    });

    /// <summary>One stream that is read as fast as it comes, one whose handler waits, one that waits for its consumer.</summary>
    [Fact(Explicit = true)]
    public async Task Consume()
    {
        await using RabbitMqClient client = await RabbitMqClient.ConnectAsync(Address, new RabbitMqClientOptions { StreamLease = TimeSpan.FromSeconds(6) }, Cancel);
        ITap tap = client.For<ITap>();
        List<IAsyncEnumerator<int>> streams = [];
        foreach (int count in new[] { int.MaxValue, 1, int.MaxValue })
        {
            streams.Add(tap.Run(count, "wait", Cancel).GetAsyncEnumerator(Cancel));
            Assert.True(await streams[^1].MoveNextAsync());
        }

        _ = Task.Run(
            async () =>
            {
                while (await streams[0].MoveNextAsync())
                {
                }
            },
            Cancel);
        await UntilInputEndsAsync();
    }

    private static async Task UntilInputEndsAsync()
    {
        Console.WriteLine(Ready);
        while (await Console.In.ReadLineAsync(Cancel) is not null)
        {
        }
    }
}
