using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer;

/// <summary>Does what <see cref="ITestService"/> says, and lets a test in the same process look at it.</summary>
public sealed class TestService : ITestService
{
    private readonly ConcurrentDictionary<string, Gate> _gates = new();
    private int _produced;
    private int _streamsEnded;

    /// <summary>How many items <see cref="Count"/> has produced.</summary>
    public int Produced => Volatile.Read(ref _produced);

    /// <summary>How many streams have ended, in whatever way.</summary>
    public int StreamsEnded => Volatile.Read(ref _streamsEnded);

    public Gate GateOf(string name) => _gates.GetOrAdd(name, static _ => new Gate());

    public Message Echo(Message request) => request;

    public ValueTask<Message> EchoAsync(Message request, CancellationToken cancel = default) => new(request);

    public int Add(int left, int right) => left + right;

    public ValueTask<int> AddAsync(int left, int right, CancellationToken cancel = default) => new(left + right);

    public void Nothing()
    {
    }

    public Task NothingAsync(CancellationToken cancel = default) => Task.CompletedTask;

    public byte[] Blob(int size) => new byte[size];

    public int Throw(string what) => what switch
    {
        "argument" => throw new ArgumentException("the argument is bad"),
        "surrogate" => throw new InvalidOperationException("half a pair: \ud800"),
        "long" => throw new InvalidOperationException(new string('x', 100_000)),
        "cancelled" => throw new OperationCanceledException("of its own"),
        _ => throw new RpcCallException(Enum.Parse<RpcStatus>(what), "chosen: " + what),
    };

    public int Block(string gate, CancellationToken cancel = default)
    {
        Gate held = GateOf(gate);
        held.Enter();
        try
        {
            held.Opened.Wait(cancel);
            return held.Entered;
        }
        catch (OperationCanceledException)
        {
            held.Cancel();
            throw;
        }
    }

    public ValueTask<int> BlockAsync(string gate, CancellationToken cancel = default) => throw new NotSupportedException("the synchronous one is called");

    public async ValueTask<int> WaitAsync(string gate, CancellationToken cancel = default)
    {
        Gate held = GateOf(gate);
        held.Enter();
        try
        {
            while (!held.Opened.IsSet)
                await Task.Delay(5, cancel);
            return held.Entered;
        }
        catch (OperationCanceledException)
        {
            held.Cancel();
            throw;
        }
    }

    public async ValueTask<double> RemainingAsync(CancellationToken cancel = default)
    {
        await Task.Yield();
        Deadline deadline = RpcDeadline.Current;
        return deadline == Deadline.Never ? -1 : deadline.Remaining.TotalMilliseconds;
    }

    public async IAsyncEnumerable<int> Count(int first, int count, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        try
        {
            for (int i = 0; i < count; i++)
            {
                cancel.ThrowIfCancellationRequested();
                Interlocked.Increment(ref _produced);
                yield return first + i;
                if (i % 1000 == 999)
                    await Task.Yield();
            }
        }
        finally
        {
            Interlocked.Increment(ref _streamsEnded);
        }
    }

    public async IAsyncEnumerable<byte[]> Blobs(int size, int count, string failure, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        for (int i = 0; i < count; i++)
            yield return new byte[size];
        await Task.Yield();
        if (failure.Length != 0)
            Throw(failure);
    }
}
