using System;
using System.IO;
using System.Text;
using Ipc;

namespace FileCopy;

/// <summary>Receives files, each under the name of its sender, until all senders have gone for a while. Killed and started again, it gets what it had not acknowledged.</summary>
internal static class Receiver
{
    public static int Run(string server, string folder)
    {
        // snippet: receive
        using NamedListener listener = NamedListener.Open(server);
        while (listener.Next(out NamedEvent next, Deadline.Never) == IpcStatus.Ok)
        {
            NamedConnection copy = next.Connection;
            switch (next.Kind)
            {
                case NamedEventKind.Login:
                    copy.Accept();
                    break;
                case NamedEventKind.Readable:
                    Write(copy, Path.Combine(folder, copy.ClientName));
                    listener.Return(copy);
                    break;
                default: // its sender has gone: for good, if it has acknowledged the receipt
                    bool isOver = copy.LastSent > 0 && copy.Unacknowledged == 0;
                    copy.Dispose();
                    if (isOver)
                        Forget(server, copy.ClientName);
                    break;
            }
        }
        // end-snippet

        return 0;
    }

    private static void Forget(string server, string name)
    {
        try
        {
            NamedConnection.Remove(server, name);
        }
        catch (IpcException error) when (error.Status == IpcStatus.InUse)
        {
            // It was killed before it had told anybody, and has come back to do so.
        }
    }

    // snippet: write
    private static void Write(NamedConnection copy, string path)
    {
        using FileStream file = File.OpenWrite(path);
        bool isLast = false;
        while (copy.TryReceive(out NamedMessage chunk))
        {
            file.Position = (chunk.Sequence - 1) * Chunk.Size; // a chunk that comes again is written to its place again
            file.Write(chunk.Payload);
            isLast |= chunk.Type == Chunk.Last;
        }

        file.Flush();
        if (isLast)
            copy.Send(Encoding.UTF8.GetBytes($"{copy.ClientName}: {file.Length} bytes"), Chunk.Receipt);
        copy.Acknowledge(); // killed before this line: the chunks come again
    }
    // end-snippet
}
