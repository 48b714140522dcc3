using System;
using System.Globalization;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>
/// peer storm KIND-ROLE NAME SIDE ID SEED: one worker of a storm (tests/peers/c/storm.c), killed at any instruction. Its C twin,
/// tests/peers/c/storm_worker.c, says what the roles are.
/// </summary>
internal sealed class StormWorker
{
    public const ushort End = 65535;
    private const int Small = 100, Large = 9000;
    private readonly ulong[] _next; // per sender: the number after the last one that was seen

    private StormWorker(string name, string side, uint id, ulong seed)
    {
        (Name, Id, Seed) = (name, id, seed);
        Side = new StormSide(side, id);
        _next = new ulong[Side.Workers];
    }

    public string Name { get; }

    public uint Id { get; }

    public ulong Seed { get; }

    public StormSide Side { get; }

    public WaitMode WaitMode => Seed % 3 == 0 ? WaitMode.Block : WaitMode.Adaptive;

    /// <summary>Nobody dies, and nothing is abandoned: what is lost can be counted exactly.</summary>
    public static bool IsExact => Environment.GetEnvironmentVariable("IPC_STORM_EXACT") == "1";

    /// <summary>Per sender: the number after the last one that was seen.</summary>
    public ref ulong Next(ulong sender) => ref _next[sender];

    public static int Run(string what, string name, string side, string id, string seed)
    {
        string[] words = what.Split('-');
        var worker = new StormWorker(name, side, uint.Parse(id, CultureInfo.InvariantCulture), ulong.Parse(seed, CultureInfo.InvariantCulture));
        return words[0] switch
        {
            "queue" => StormQueue.Run(worker, words[1]),
            "topic" => StormTopic.Run(worker, words[1]),
            "lock" => StormLock.Run(worker, words[1]),
            _ => StormRing.Run(worker, words[1]),
        };
    }

    /// <summary>Mostly within a block, now and then a loan.</summary>
    public static int LengthOf(ulong n) => Drive.Content.NumberedLength(n, n % 16 == 0 ? Large : Small);

    /// <summary>Sends numbered messages until the storm ends or the numbers are used up. <paramref name="send"/> gets true when it shall only abandon.</summary>
    public int SendAll(Func<ulong, bool, IpcStatus> send)
    {
        // In ns between two messages; a soak's steady sender has one.
        long pace = long.Parse(Environment.GetEnvironmentVariable("IPC_STORM_PACE") ?? "0", CultureInfo.InvariantCulture);
        for (ulong i = 0; i < StormSide.PerSender && !Side.Finish; i++)
        {
            ulong n = ((ulong)Id << 32) | i;
            Side.NoteTried(i + 1);
            IpcStatus status = i % 61 == 60 && !IsExact ? send(n, true) : IpcStatus.Ok;
            if (status == IpcStatus.Ok)
                status = send(n, false);
            if (status != IpcStatus.Ok)
                return Program.Error(status, "");
            Side.NoteDone(i + 1);
            if (pace != 0)
                Thread.Sleep(TimeSpan.FromMicroseconds(Math.Max(pace / 1000, 1000))); // 1 ms is the least that there is
        }
        return Program.Right;
    }

    /// <summary>A message was delivered: right, or an exit code when it is not what was sent or comes where it may not.</summary>
    public int Delivered(ReadOnlySpan<byte> payload, bool flagged)
    {
        if (!Drive.Content.IsNumbered(payload, out ulong n) || payload.Length != LengthOf(n) || n >> 32 >= Side.Workers)
            return Wrong($"{payload.Length} bytes that are none of ours (number {n:x})");
        (ulong sender, ulong i) = (n >> 32, (uint)n);
        if (i >= Side.TriedBy((uint)sender))
            return Wrong($"number {n:x} was never sent");
        byte before = Side.AddSeen(n, flagged ? (byte)16 : (byte)1);
        Side.AddReceived();
        if (flagged)
        {
            Side.AddRedelivered();
            return Program.Right;
        }
        if (before != 0)
        {
            Console.Error.WriteLine($"worker {Id}: number {n:x} again, without the flag ({before:x} before)");
            Side.AddRepeated();
        }
        else if (i < Next(sender))
        {
            return Wrong($"number {n:x} after {Next(sender) - 1:x} of the same sender");
        }
        Next(sender) = i + 1;
        return Program.Right;
    }

    public int Wrong(string what)
    {
        Console.Error.WriteLine($"wrong: worker {Id}: {what}");
        return Program.Wrong;
    }
}
