using System;
using System.Text;
using System.Threading.Tasks;
using Ipc;

namespace Snippets;

internal static class Topics
{
    public static Task Run()
    {
        Everybody();
        Patience();
        return Task.CompletedTask;
    }

    private static void Everybody()
    {
        // snippet: both
        using TopicWriter writer = TopicWriter.Open("prices", new TopicOptions { BlockSize = 64, BlockCount = 1024 });
        using TopicReader reader = TopicReader.Open("prices"); // from now on; TopicJoin says otherwise

        writer.Publish("1.0842"u8, type: 1, key: 7, TimeSpan.FromMilliseconds(100)); // throws when a reliable reader holds it up

        if (reader.Read(out TopicMessage price, TimeSpan.FromSeconds(1)) == IpcStatus.Ok)
            Console.WriteLine($"{price.Key}: {Encoding.UTF8.GetString(price.Payload)}"); //> 7: 1.0842
        reader.Release(); // everything read so far
        // end-snippet

        // snippet: late
        using TopicReader late = TopicReader.Open("prices", null, new TopicReaderOptions { Join = TopicJoin.LastValue });
        Console.WriteLine(late.TryRead(out TopicMessage last) == IpcStatus.Ok ? last.Key : 0); //> 7
        late.Release();
        // end-snippet
    }

    private static void Patience()
    {
        using TopicWriter writer = TopicWriter.Open("ticks", new TopicOptions { BlockSize = 64, BlockCount = 16 });

        // snippet: policies
        using TopicReader lossy = TopicReader.Open("ticks", null, new TopicReaderOptions { Policy = TopicPolicy.Lossy });
        using TopicReader latest = TopicReader.Open("ticks", null, new TopicReaderOptions { Policy = TopicPolicy.Latest });
        for (int tick = 0; tick < 100; tick++)
            _ = writer.TryPublish(BitConverter.GetBytes(tick), key: (ulong)(tick % 2)); // no reliable reader: never false

        _ = lossy.TryRead(out TopicMessage next); // 100 were written, the topic holds 16
        Console.WriteLine($"{next.Lost} lost, then {BitConverter.ToInt32(next.Payload)}"); //> 86 lost, then 86

        while (latest.TryRead(out TopicMessage newest) == IpcStatus.Ok) // one of each key
            Console.WriteLine($"key {newest.Key}: {BitConverter.ToInt32(newest.Payload)}");
        //> key 0: 98
        //> key 1: 99
        // end-snippet

        // snippet: reliable
        using TopicReader slow = TopicReader.Open("ticks"); // reliable: nobody overtakes it
        for (int tick = 0; tick < 16; tick++)
            _ = writer.TryPublish(BitConverter.GetBytes(tick)); // room for 16
        IpcStatus status = writer.Publish("one more"u8, 0, 0, Deadline.FromMilliseconds(20));
        Console.WriteLine($"{status}: {writer.SlowReader!.Behind} behind"); //> Timeout: 16 behind
        // end-snippet
        slow.Dispose();

        // snippet: evict
        using TopicReader cut = TopicReader.Open("ticks", null, new TopicReaderOptions { Policy = TopicPolicy.Evict });
        for (int tick = 0; tick < 20; tick++)
            _ = writer.Publish(BitConverter.GetBytes(tick), 0, 0, Deadline.FromMilliseconds(20)); // waits once, then cuts it off

        Console.WriteLine(cut.TryRead(out _)); //> Evicted
        _ = cut.Rejoin(); // from now on again
        // end-snippet
    }
}
