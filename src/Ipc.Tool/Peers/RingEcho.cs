using System;
using System.Threading;

namespace Ipc.Tool;

/// <summary>Two rings between two processes: what one writes the other sends back.</summary>
internal static class RingEcho
{
    public const string Role = "ring-echo";
    private const ushort Last = ushort.MaxValue;
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(10); // for one round trip

    /// <summary>The other process.</summary>
    public static void Serve(string name, Action ready)
    {
        using RingReader reader = RingReader.Open(name + "-there", Existing());
        using RingWriter writer = RingWriter.Open(name + "-back", Existing());
        ready();
        while (reader.Read(out RingRecord record, Deadline.Never) == IpcStatus.Ok)
        {
            bool isLast = record.Type == Last;
            writer.Write(record.Payload, record.Type, Deadline.Never);
            reader.Release();
            if (isLast)
                return;
        }
    }

    /// <summary>Makes round trips; the nanoseconds of each, sorted.</summary>
    public static double[] Measure(string name, int count, int bytes, out string? problem)
    {
        using RingWriter writer = RingWriter.Open(name + "-there", new RingOptions { Capacity = 64 * 1024, OpenMode = OpenMode.CreateNew });
        using RingReader reader = RingReader.Open(name + "-back", new RingOptions { Capacity = 64 * 1024, OpenMode = OpenMode.CreateNew });
        using PeerProcess peer = PeerProcess.Start(Role, name);
        problem = peer.WaitUntilReady();
        if (problem is not null)
            return [];

        byte[] message = new byte[bytes];
        double[] times = new double[count];
        for (int i = 0; i < count; i++)
        {
            Deadline deadline = Deadline.After(s_timeout);
            ulong began = Os.Current.Now();
            message[0] = (byte)i;
            IpcStatus status = writer.Write(message, i == count - 1 ? Last : (ushort)1, deadline);
            if (status == IpcStatus.Ok)
                status = reader.Read(out RingRecord record, deadline) is var read && read == IpcStatus.Ok && !record.Payload.SequenceEqual(message)
                    ? IpcStatus.Corrupt
                    : read;
            if (status != IpcStatus.Ok)
            {
                problem = $"round trip {i + 1} of {count} ended with {status}";
                return [];
            }

            times[i] = Os.Current.Now() - began;
            reader.Release();
        }

        peer.WaitForEnd();
        Array.Sort(times);
        return times;
    }

    private static RingOptions Existing() => new() { OpenMode = OpenMode.OpenExisting, OpenTimeout = s_timeout };
}
