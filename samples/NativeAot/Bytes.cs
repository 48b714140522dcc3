using System;
using System.IO;
using System.Threading.Tasks;
using Ipc.Pipelines;

namespace NativeAot;

/// <summary>Bytes beside the calls: what comes is sent back, until it ends.</summary>
internal static class Bytes
{
    public static string ListenerOf(string name) => name + "-bytes";

    public static async Task ServeAsync(IpcPipeListener listener)
    {
        await foreach (IpcPipe pipe in listener.AcceptAllAsync())
            _ = EchoAsync(pipe);
    }

    /// <summary>A megabyte there and back, more than the rings hold; then the end, which comes back as one.</summary>
    public static async Task CheckAsync(string name)
    {
        byte[] sent = new byte[1 << 20];
        new Random(1).NextBytes(sent);
        await using IpcPipe pipe = await IpcPipe.ConnectAsync(ListenerOf(name));
        Task sending = Task.Run(async () =>
        {
            await pipe.Output.WriteAsync(sent);
            await pipe.Output.CompleteAsync();
        });
        using MemoryStream received = new();
        await pipe.AsStream().CopyToAsync(received);
        await sending;
        if (!received.ToArray().AsSpan().SequenceEqual(sent))
            throw new InvalidOperationException($"{received.Length} bytes came back, or others than were sent");
    }

    private static async Task EchoAsync(IpcPipe pipe)
    {
        await using (pipe)
        {
            await pipe.Input.CopyToAsync(pipe.Output);
            await pipe.Output.CompleteAsync();
        }
    }
}
