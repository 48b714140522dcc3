using System;
using System.Threading;

namespace Ipc.Peer;

internal static class RingVerbs
{
    public static int Write(string name, ulong count, string size, ulong seed, PeerOptions options)
    {
        using RingWriter writer = RingWriter.Open(name, options.Ring);
        IpcStatus status = writer.WaitForPeer(options.Deadline);
        for (ulong number = 0; number < count && status == IpcStatus.Ok; number++)
        {
            int length = Content.NextSize(size, writer.MaxPayload, ref seed);
            status = writer.Claim(length, out Span<byte> payload, options.Deadline);
            if (status != IpcStatus.Ok)
                break;
            Content.Fill(payload, number);
            writer.Commit(length, (ushort)number);
        }

        return status == IpcStatus.Ok ? Program.Right : Program.Error(status, "while writing");
    }

    public static int Read(string name, ulong count, PeerOptions options)
    {
        using RingReader reader = RingReader.Open(name, options.Ring);
        for (ulong number = 0; number < count; number++)
        {
            IpcStatus status = reader.Read(out RingRecord record, options.Deadline);
            if (status != IpcStatus.Ok)
                return Program.Error(status, $"instead of number {number}");

            string? wrong = record.Type == (ushort)number ? Content.Check(record.Payload, number) : $"type {record.Type} of number {number}";
            if (wrong is not null)
            {
                Console.Error.WriteLine("wrong: " + wrong);
                return Program.Wrong;
            }

            reader.Release();
        }

        return Program.Right;
    }

    public static int Echo(string nameIn, string nameOut, ulong count, PeerOptions options)
    {
        using RingReader reader = RingReader.Open(nameIn, options.Ring);
        using RingWriter writer = RingWriter.Open(nameOut, options.Ring);
        for (ulong number = 0; number < count; number++)
        {
            IpcStatus status = reader.Read(out RingRecord record, options.Deadline);
            if (status == IpcStatus.Ok)
                status = writer.Write(record.Payload, record.Type, options.Deadline);
            if (status != IpcStatus.Ok)
                return Program.Error(status, $"at number {number}");
            reader.Release();
        }

        return Program.Right;
    }

    public static int Hold(RingEnd end)
    {
        using (end)
        {
            Console.WriteLine("ready");
            while (Console.Read() >= 0)
            {
                // until the end of the input
            }
        }

        return Program.Right;
    }
}
