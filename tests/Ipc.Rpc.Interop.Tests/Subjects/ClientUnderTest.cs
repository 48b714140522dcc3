using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Xunit;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>A client in either language that makes one call of a shape, and then an echo, and tells how both ended. Twin of <c>rpc_probe.cpp</c>: no reconnecting,
/// windows of 4.</summary>
internal static class ClientUnderTest
{
    public static Task<(string Ended, string Then)> Probe(Language language, string name, string shape)
        => Task.Run(() => language == Language.CSharp ? ProbeManaged(name, shape) : ProbeNative(name, shape));

    private static async Task<(string Ended, string Then)> ProbeNative(string name, string shape)
    {
        using Process process = Process.Start(new ProcessStartInfo(Repository.NativePeer, ["probe", name, shape]) { RedirectStandardOutput = true })!;
        string output = await process.StandardOutput.ReadToEndAsync().WaitAsync(Repository.Watchdog);
        await process.WaitForExitAsync().WaitAsync(Repository.Watchdog);
        Assert.True(process.ExitCode == 0, $"the probe ended with {process.ExitCode}");
        string[] lines = output.Split('\n');
        return (lines[0]["ended ".Length..], lines[1]["then ".Length..]);
    }

    private static async Task<(string Ended, string Then)> ProbeManaged(string name, string shape)
    {
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { AutoReconnect = false, StreamWindow = 4 });
        var items = new Counter();
        string ended = await StatusOf(() => Call(TestsRpc.Client(client), shape, items));
        string then = await StatusOf(() => Call(TestsRpc.Client(client), "echo", items));
        return ($"{ended} {items.Value}", then);
    }

    private static Task Call(ITests tests, string shape, Counter items)
    {
        var item = new Blob { Data = "item"u8.ToArray() };
        return shape switch
        {
            "echo" => tests.EchoAsync(item),
            "steps" => tests.StepsAsync(new CountRequest(), items),
            "count" => Drain(tests.Count(new CountRequest()), items),
            "count-late" => Drain(tests.Count(new CountRequest()), items, tests),
            "mirror-late" => Drain(tests.Mirror(new CountRequest(), One(item)), items, tests),
            "collect" => tests.CollectAsync(new CountRequest(), One(item)),
            "mirror" => Drain(tests.Mirror(new CountRequest(), One(item)), items),
            _ => throw new ArgumentException(shape),
        };
    }

    private static async Task Drain(IAsyncEnumerable<Blob> stream, Counter items, ITests? late = null)
    {
        await foreach (Blob item in stream)
        {
            items.Report(item);
            if (late is not null && items.Value == 1)
                await late.EchoAsync(item);
        }
    }

    private static async IAsyncEnumerable<Blob> One(Blob item)
    {
        await Task.CompletedTask;
        yield return item;
    }

    private static async Task<string> StatusOf(Func<Task> call)
    {
        try
        {
            await call().WaitAsync(Repository.Watchdog);
            return nameof(RpcStatus.Ok);
        }
        catch (RpcCallException failure)
        {
            return failure.Status.ToString();
        }
    }

    private sealed class Counter : IProgress<Blob>
    {
        private int _value;

        public int Value => Volatile.Read(ref _value);

        public void Report(Blob value) => Interlocked.Increment(ref _value);
    }
}
