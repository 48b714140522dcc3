using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Text;
using System.Threading.Tasks;
using Ipc;
using Ipc.Pipelines;

namespace Snippets;

internal static class Bytes
{
    public static async Task Run()
    {
        // snippet: listen
        await using IpcPipeListener listener = IpcPipeListener.Open("upper");
        Task serving = Task.Run(async () =>
        {
            await foreach (IpcPipe client in listener.AcceptAllAsync()) // until it is stopped or disposed
                _ = UpperAsync(client);
        });
        // end-snippet

        // snippet: connect
        await using (IpcPipe pipe = await IpcPipe.ConnectAsync("upper"))
        {
            await pipe.Output.WriteAsync("hello"u8.ToArray());
            await pipe.Output.CompleteAsync(); // no more from here; the answer is still to come
            using StreamReader answer = new(pipe.AsStream());
            Console.WriteLine(await answer.ReadToEndAsync()); //> HELLO
        }
        // end-snippet

        // snippet: end
        await using IpcPipe cut = await IpcPipe.ConnectAsync("upper");
        await listener.DisposeAsync();
        try
        {
            await cut.Input.ReadAsync();
        }
        catch (IpcException e) // which is an IOException
        {
            Console.WriteLine(e.Status); //> PeerClosed
        }
        // end-snippet

        await serving;
    }

    // snippet: serve
    private static async Task UpperAsync(IpcPipe client)
    {
        await using (client)
        {
            for (; ; )
            {
                ReadResult read = await client.Input.ReadAsync();
                foreach (ReadOnlyMemory<byte> piece in read.Buffer) // in the ring, in place
                    client.Output.Write(Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(piece.Span).ToUpperInvariant()));
                client.Input.AdvanceTo(read.Buffer.End); // from here on it is the writer's again
                FlushResult flushed = await client.Output.FlushAsync();
                if (read.IsCompleted || flushed.IsCompleted)
                    break;
            }

            await client.Output.CompleteAsync();
        }
    }
    // end-snippet
}
