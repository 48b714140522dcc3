using System;
using System.Buffers.Binary;
using System.Text;
using System.Threading.Tasks;
using Ipc;

namespace Snippets;

internal static class Queues
{
    public static Task Run()
    {
        // snippet: open
        QueueOptions options = new() { BlockSize = 256, BlockCount = 64 }; // used by whoever creates it; the others take what is there
        using SharedQueue sender = SharedQueue.Open("jobs", options);
        // end-snippet

        // snippet: reconnect
        if (!sender.IsFindable)
            sender.Reconnect(); // what waits meanwhile ends with Stopped, what was held is left behind
        // end-snippet

        // snippet: send
        sender.Send("resize cat.png"u8, type: 1, TimeSpan.FromSeconds(1)); // throws when nobody receives, and the queue is full
        // end-snippet

        // snippet: receive
        using SharedQueue receiver = SharedQueue.Open("jobs");
        if (receiver.Receive(out QueueMessage job, TimeSpan.FromSeconds(1)) == IpcStatus.Ok)
        {
            Console.WriteLine(Encoding.UTF8.GetString(job.Payload)); //> resize cat.png
            job.Release(); // killed before this line: another receiver gets it, with Redelivered set
        }
        // end-snippet

        // snippet: claim
        if (sender.TryClaim(8, out QueueClaim claim))
        {
            BinaryPrimitives.WriteInt64LittleEndian(claim.Payload, 42); // straight into the queue
            claim.Commit(8, type: 2);
        }
        // end-snippet

        // snippet: in-place
        if (receiver.TryReceive(out QueueMessage message))
        {
            using (message) // released at the end
                Console.WriteLine(BinaryPrimitives.ReadInt64LittleEndian(message.Payload)); //> 42
        }
        // end-snippet

        // snippet: info
        QueueInfo info = receiver.GetInfo();
        Console.WriteLine($"{info.Depth} waiting, {info.Participants} attached, {info.Redelivered} redelivered"); //> 0 waiting, 2 attached, 0 redelivered
        // end-snippet

        // snippet: grow
        QueueOptions expandable = new()
        {
            BlockSize = 256,
            BlockCount = 64,
            MaxExpansions = 15,        // up to 16 segments of 64 blocks
            MinExpansionDistance = 16, // the next one is prepared while 16 blocks are left
        };
        // end-snippet
        using SharedQueue growing = SharedQueue.Open("growing", expandable);
        for (int i = 0; i < 1000; i++)
            Console.Write(growing.TrySend("x"u8) ? "" : "full");
        Console.WriteLine(growing.GetInfo().Segments); //> 16
        while (growing.TryReceive(out QueueMessage rest))
            rest.Release();
        return Task.CompletedTask;
    }
}
