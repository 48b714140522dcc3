using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

#pragma warning disable CA2012 // calls that are sent first and awaited once each, later

namespace Ipc.Rpc.Tests;

/// <summary>What calls and idle connections cost. Alone in the process: everything that allocates or computes is counted.</summary>
[Collection(nameof(Alone))]
public sealed class FootprintTests
{
    [Fact]
    public void ASynchronousCallAllocatesNothingOnEitherSide()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        long allocated = long.MaxValue;
        const int Calls = 10_000;
        for (int attempt = 0; attempt < 5 && allocated > Calls / 10; attempt++)
        {
            for (int i = 0; i < Calls; i++)
                service.Add(i, 1);
            long mine = GC.GetAllocatedBytesForCurrentThread();
            long all = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < Calls; i++)
                service.Add(i, 1);
            allocated = GC.GetTotalAllocatedBytes(precise: true) - all;
            Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - mine - Precise());
        }

        // Less than a tenth of a byte per call: timers and the runtime's own threads, not the calls.
        Assert.True(allocated <= Calls / 10, allocated + " bytes were allocated by " + Calls + " calls");
    }

    [Theory]
    [InlineData(WaitMode.Spin)]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public async Task AnAsynchronousCallAllocatesAtMostOneSmallObject(WaitMode mode)
    {
        using var server = new TestServer(new RpcServerOptions { WaitMode = mode });
        using RpcClient client = server.Connect(new RpcClientOptions { WaitMode = mode });
        ITestService service = TestServiceRpc.Client(client);
        const int Calls = 2_000;
        long allocated = await Least(Calls, async () =>
        {
            for (int i = 0; i < Calls; i++)
                await service.AddAsync(i, 1);
        });
        Assert.True(allocated <= Calls * 100L, allocated + " bytes were allocated by " + Calls + " calls");
    }

    [Fact]
    public async Task CallsThatAreSentFirstAndAwaitedLaterAllocateAtMostOneSmallObjectEach()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        const int Calls = 3_000, Window = 50;
        var calls = new ValueTask<int>[Window];
        bool right = true; // an assertion allocates
        long allocated = await Least(Calls, async () =>
        {
            for (int i = 0; i < Calls; i += Window)
            {
                using (client.Batch())
                {
                    for (int j = 0; j < Window; j++)
                        calls[j] = service.AddAsync(i, j);
                }

                for (int j = 0; j < Window; j++)
                    right &= await calls[j] == i + j;
            }
        });
        Assert.True(right);
        Assert.True(allocated <= Calls * 100L, allocated + " bytes were allocated by " + Calls + " calls");
    }

    [Fact]
    public async Task OneWayCallsAllocateNothing()
    {
        using var server = new ShapeServer();
        const int Calls = 3_000;
        int sent = 0;
        long allocated = await Least(Calls, () =>
        {
            for (int i = 0; i < Calls; i++)
                server.Client.Notify(Shapes.Notice, 1);
            sent += Calls;
            Eventually.True(() => server.Shapes.Notified == sent, "all have arrived");
            return Task.CompletedTask;
        });
        Assert.True(allocated <= Calls, allocated + " bytes were allocated by " + Calls + " calls");
    }

    [Theory]
    [InlineData(WaitMode.Adaptive)]
    [InlineData(WaitMode.Block)]
    public async Task IdleClientsAndServersUseNoProcessorTime(WaitMode mode)
    {
        using var server = new TestServer(new RpcServerOptions { WaitMode = mode });
        RpcClient[] clients = Enumerable.Range(0, 20).Select(_ => server.Connect(new RpcClientOptions { WaitMode = mode })).ToArray();
        foreach (RpcClient client in clients)
        {
            ErrorTests.Lives(TestServiceRpc.Client(client));
            Assert.Equal(3, await TestServiceRpc.Client(client).AddAsync(1, 2));
        }

        AnIdleSecondUsesNoProcessorTime();
        foreach (RpcClient client in clients)
            client.Dispose();
    }

    [Fact]
    public void AThousandClientsAreServed()
    {
        using var server = new TestServer();
        var options = new RpcClientOptions { ToClientCapacity = 4096, ToServerCapacity = 4096, WaitMode = WaitMode.Block };
        RpcClient[] clients = Enumerable.Range(0, 1000).Select(_ => server.Connect(options)).ToArray();
        Eventually.True(() => server.Server.ConnectionCount == 1000, "the server counts them");
        for (int i = 0; i < clients.Length; i++)
            Assert.Equal(i + 1, TestServiceRpc.Client(clients[i]).Add(i, 1));
        AnIdleSecondUsesNoProcessorTime();
        Assert.Equal(3, TestServiceRpc.Client(clients[^1]).Add(1, 2));
        foreach (RpcClient client in clients)
            client.Dispose();
        Eventually.True(() => server.Server.ConnectionCount == 0, "every connection is freed");
    }

    /// <summary>Of this process, in which the server and all its clients are. One of some seconds: the runtime may still be compiling what the tests before have made hot.</summary>
    private static void AnIdleSecondUsesNoProcessorTime()
    {
        TimeSpan used = TimeSpan.MaxValue;
        for (int attempt = 0; attempt < 20 && used > TimeSpan.FromMilliseconds(20); attempt++)
        {
            TimeSpan before = Process.GetCurrentProcess().TotalProcessorTime;
            Thread.Sleep(1000); // the time that is measured
            used = Process.GetCurrentProcess().TotalProcessorTime - before;
        }

        Assert.True(used <= TimeSpan.FromMilliseconds(20), "one idle second took " + used.TotalMilliseconds + " ms");
    }

    /// <summary>The least that a piece of work allocates in this process, of some rounds.</summary>
    private static async Task<long> Least(int calls, Func<Task> work)
    {
        long least = long.MaxValue;
        for (int attempt = 0; attempt < 6 && least > calls; attempt++)
        {
            long all = GC.GetTotalAllocatedBytes(precise: true);
            await work();
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - all);
        }

        return least;
    }

    /// <summary>What asking for the allocated bytes allocates itself.</summary>
    private static long Precise()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        GC.GetTotalAllocatedBytes(precise: true);
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
