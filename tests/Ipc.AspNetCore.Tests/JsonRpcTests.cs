using System;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Pipelines;
using StreamJsonRpc;
using Xunit;

namespace Ipc.AspNetCore.Tests;

/// <summary>StreamJsonRpc over the pipe as a stream, with both of its usual formats.</summary>
public sealed class JsonRpcTests : ServerTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task CallsGoBothWays(bool binary)
    {
        await using IpcPipeListener listener = IpcPipeListener.Open("json");
        Task<IpcPipe> accepting = listener.AcceptAsync(Hang).AsTask();
        IpcPipe client = await IpcPipe.ConnectAsync("json", cancellationToken: Hang);
        using JsonRpc serving = Attach(await accepting, binary, new Calculator());
        using JsonRpc calling = Attach(client, binary, new Calculator());
        Assert.Equal(3, await calling.InvokeAsync<int>("Add", 1, 2));
        Assert.Equal(30, await serving.InvokeAsync<int>("Add", 10, 20));
        int[] sums = await Task.WhenAll(Enumerable.Range(0, 200).Select(i => calling.InvokeAsync<int>("Add", i, i)));
        Assert.Equal(Enumerable.Range(0, 200).Select(static i => 2 * i), sums);
        Assert.Equal(100_000, await calling.InvokeAsync<int>("Length", new string('x', 100_000)));
        serving.Dispose();
        await calling.Completion.WaitAsync(Hang); // the end in good order is one there
    }

    private static JsonRpc Attach(IpcPipe pipe, bool binary, object target)
    {
        IJsonRpcMessageHandler handler = binary
            ? new LengthHeaderMessageHandler(pipe.AsStream(), pipe.AsStream(), new MessagePackFormatter())
            : new HeaderDelimitedMessageHandler(pipe.AsStream(), new SystemTextJsonFormatter());
        JsonRpc rpc = new(handler, target);
        rpc.StartListening();
        return rpc;
    }

    private sealed class Calculator
    {
        public int Add(int left, int right) => left + right;

        public int Length(string text) => text.Length;
    }
}
