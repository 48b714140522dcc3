using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ipc.Tool;

/// <summary>Two threads and two words that go from cache to cache: no round trip through memory can be faster on this machine.</summary>
internal sealed unsafe class PingPong
{
    private const int BatchRounds = 200, Apart = 256, End = -1;
    private static readonly System.TimeSpan s_duration = System.TimeSpan.FromSeconds(1);
    private readonly byte* _memory = (byte*)NativeMemory.AlignedAlloc(2 * Apart, Apart);

    public static double Nanoseconds()
    {
        var words = new PingPong();
        try
        {
            return words.Run();
        }
        finally
        {
            NativeMemory.AlignedFree(words._memory);
        }
    }

    private ref int Ping => ref *(int*)_memory;

    private ref int Pong => ref *(int*)(_memory + Apart);

    private double Run()
    {
        Ping = Pong = 0;
        var other = new Thread(Answer) { IsBackground = true };
        other.Start();
        double best = double.MaxValue;
        long start = Stopwatch.GetTimestamp(), began = start;
        for (int round = 1; Stopwatch.GetElapsedTime(start, began) < s_duration; round++)
        {
            Volatile.Write(ref Ping, round);
            Wait(ref Pong, round);
            if (round % BatchRounds != 0)
                continue;
            long now = Stopwatch.GetTimestamp();
            best = System.Math.Min(best, Stopwatch.GetElapsedTime(began, now).TotalNanoseconds / BatchRounds);
            began = now;
        }

        Volatile.Write(ref Ping, End);
        other.Join();
        return best; // of short batches: a limit is what can be had, not what others' work leaves of it
    }

    private void Answer()
    {
        for (int round = 1; ; round++)
        {
            if (Wait(ref Ping, round) == End)
                return;
            Volatile.Write(ref Pong, round);
        }
    }

    /// <summary>Gives way now and then: with one processor the other thread would never come.</summary>
    private static int Wait(ref int word, int value)
    {
        for (int spins = 0; ; spins++)
        {
            int found = Volatile.Read(ref word);
            if (found == value || found == End)
                return found;
            if (spins > 20_000)
            {
                Thread.Yield();
                spins = 0;
            }
        }
    }
}
