using System;
using System.Threading.Tasks;
using Ipc;
using Ipc.Rpc;

namespace Snippets;

internal static class Sizes
{
    public static Task Run()
    {
        // snippet: loan
        using RingWriter writer = RingWriter.Open("frames", new RingOptions { Capacity = 64 << 10, LoanBudget = 8 << 20 });
        using RingReader reader = RingReader.Open("frames");
        Console.WriteLine(writer.MaxPayload); //> 8388608

        bool isWritten = writer.TryWrite(new byte[5 << 20]); // too long for the ring: travels as a loan, read in place all the same
        Console.WriteLine(isWritten && reader.TryRead(out RingRecord frame) ? frame.Payload.Length : 0); //> 5242880
        reader.Release();
        // end-snippet

        // snippet: too-large
        try
        {
            _ = writer.TryWrite(new byte[9 << 20]);
        }
        catch (IpcException e) when (e.Status == IpcStatus.TooLarge)
        {
            Console.WriteLine(e.Status); //> TooLarge
        }
        // end-snippet

        // snippet: trim
        using SharedQueue queue = SharedQueue.Open("uploads", new QueueOptions { BlockSize = 1024, LoanBudget = 64 << 20 });
        if (queue.TrySend(new byte[10 << 20]) && queue.TryReceive(out QueueMessage upload))
            upload.Release();
        long kept = queue.GetInfo().LoansPresent; // memory stays for the next long message ...
        queue.TrimLoans();                        // ... until somebody gives it back
        Console.WriteLine($"{kept >= 10 << 20}, then {queue.GetInfo().LoansPresent}"); //> True, then 0
        // end-snippet
        InPlace();
        return Task.CompletedTask;
    }

    private static void InPlace()
    {
        using RpcServer server = RpcServer.Start("store", StoreRpc.Service(new Store()));
        using RpcClient client = RpcClient.Connect("store");

        // snippet: in-place
        RpcMethod<string, int> photo = new(StoreRpc.Photo.Service, StoreRpc.Photo.Name, RpcMethodKind.Unary,
            StoreRpc.Photo.Request, new MessageCodec<int>("PhotoResponse", CannotWrite, CountDark));
        Console.WriteLine(client.Call(photo, "apple")); //> 3145728
        // end-snippet
    }

    // snippet: in-place-codec
    private static int CountDark(ref ProtoReader reader)
    {
        int dark = 0;
        while (reader.TryReadTag(out uint tag))
        {
            if (tag == 10) // field 1, bytes
                dark = reader.ReadBytesInPlace().Count((byte)0); // in the memory that the server wrote them to
            else
                reader.SkipField(tag);
        }

        return dark;
    }

    private static void CannotWrite(ref ProtoWriter writer, in int value) => throw new NotSupportedException();
    // end-snippet
}
