using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>Calls or messages of so many bytes through a broker on this machine, which bench/run.sh starts (IPC_BENCH_AMQP is its address): a quorum queue, acknowledged by hand, 64 in hand at
/// most. <paramref name="inFlight"/>: 1 is a call there and back; more are messages without an answer, each ends when the broker has confirmed it.</summary>
/// <remarks>Not pinned: the broker is the third who works here.</remarks>
internal abstract class BrokerPair(int count, int inFlight, int size = 64) : Subject(count)
{
    protected const int Prefetch = 64;

    private long _expected;

    /// <summary>Where the broker is; null: there is none.</summary>
    public static string? Broker { get; } = Environment.GetEnvironmentVariable("IPC_BENCH_AMQP") is { Length: > 0 } address ? address : null;

    public override bool IsPinned => false;

    /// <summary>How many messages the answering side has taken.</summary>
    protected abstract long Taken { get; }

    protected byte[] Bytes { get; } = new byte[size];

    public override void Open(string name, Side side) => OpenAsync(name, side).GetAwaiter().GetResult();

    /// <summary>Of one call at a time in microseconds, of messages so many per message, of all lanes together.</summary>
    public override double Measure(int count)
    {
        if (inFlight == 1)
        {
            RoundTrip operation = new(this);
            return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, Unit.Microseconds);
        }

        return MeasureManyAsync(count).GetAwaiter().GetResult();
    }

    /// <summary>A round of messages is over when all have been taken: the next one does not begin behind a queue.</summary>
    public override void Answer(int count)
    {
        if (inFlight == 1)
            return;
        _expected += (count / inFlight * inFlight) + 1;
        SpinWait.SpinUntil(() => Taken >= _expected);
    }

    public override void Dispose() => CloseAsync().GetAwaiter().GetResult();

    protected abstract Task OpenAsync(string name, Side side);

    protected abstract Task CallAsync();

    protected abstract Task CloseAsync();

    private async Task<double> MeasureManyAsync(int count)
    {
        await CallAsync();
        long began = Stopwatch.GetTimestamp();
        Task[] lanes = new Task[inFlight];
        for (int lane = 0; lane < inFlight; lane++)
            lanes[lane] = RepeatAsync(count / inFlight);
        await Task.WhenAll(lanes);
        return Units.Convert(Nanoseconds(began, count / inFlight * inFlight), Unit.Nanoseconds, Unit.Microseconds);
    }

    private async Task RepeatAsync(int count)
    {
        for (int i = 0; i < count; i++)
            await CallAsync();
    }

    private readonly struct RoundTrip(BrokerPair pair) : IOperation
    {
        public void Run() => pair.CallAsync().GetAwaiter().GetResult();
    }
}
