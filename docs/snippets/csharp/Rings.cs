using System;
using System.Text;
using System.Threading.Tasks;
using Ipc;

namespace Snippets;

internal static class Rings
{
    public static Task Run()
    {
        // snippet: ring
        using RingWriter writer = RingWriter.Open("samples", new RingOptions { Capacity = 1 << 20 });
        using RingReader reader = RingReader.Open("samples");

        writer.Write("one"u8, type: 1, TimeSpan.FromSeconds(1)); // throws when there is no room: the reader does not read

        if (reader.Read(out RingRecord record, TimeSpan.FromSeconds(1)) == IpcStatus.Ok)
            Console.WriteLine(Encoding.UTF8.GetString(record.Payload)); //> one
        reader.Release(); // everything read so far
        // end-snippet

        // snippet: batch
        for (int i = 0; i < 100; i++)
        {
            if (!writer.TryClaim(4, out Span<byte> payload))
                break; // full; what was batched is published then
            BitConverter.TryWriteBytes(payload, i);
            writer.CommitBatched(4);
        }

        writer.Flush(); // one store publishes all, one wake at most
        // end-snippet

        int count = 0;
        while (reader.TryRead(out _))
            count++;
        reader.Release();
        Console.WriteLine(count); //> 100
        return Task.CompletedTask;
    }
}
