using System;
using System.IO;
using System.Text;
using Ipc;

namespace FileCopy;

/// <summary>Sends a file, chunk by chunk. Killed and started again, it goes on behind the last chunk that it had sent.</summary>
internal static class Sender
{
    public static int Run(string server, string name, string path)
    {
        // snippet: send
        using NamedConnection copy = NamedConnection.Open(server, name);
        using FileStream file = File.OpenRead(path);
        long chunks = Math.Max(1, (file.Length + Chunk.Size - 1) / Chunk.Size);
        file.Position = Math.Min(copy.LastSent, chunks) * Chunk.Size; // a former life of this program may have sent some
        while (copy.LastSent < chunks)
        {
            int length = (int)Math.Min(Chunk.Size, file.Length - file.Position);
            if (copy.Claim(length, out Span<byte> chunk, Deadline.Never) != IpcStatus.Ok)
                return 1;
            file.ReadExactly(chunk); // straight into shared memory
            copy.Commit(length, copy.LastSent + 1 == chunks ? Chunk.Last : Chunk.Middle);
        }
        // end-snippet

        if (copy.LastAcknowledged == 0)
        {
            if (copy.Receive(out NamedMessage receipt, Deadline.Never) != IpcStatus.Ok)
                return 1;
            Console.WriteLine(Encoding.UTF8.GetString(receipt.Payload));
            copy.Acknowledge();
        }

        return 0;
    }
}
