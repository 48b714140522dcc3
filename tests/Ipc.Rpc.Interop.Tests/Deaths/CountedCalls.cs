using System;
using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Interop.Tests.Shapes;
using Ipc.Rpc.Peer.Interop;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Deaths;

/// <summary>Calls of Echo, each with a number that no other has, and what became of them: to be compared with the numbers that the servers have handled.</summary>
internal sealed class CountedCalls
{
    private readonly ConcurrentDictionary<long, Outcome> _outcomes = new();
    private readonly ConcurrentQueue<string> _wrong = new();
    private readonly List<Task> _callers = [];
    private long _numbers;
    private int _answered;
    private int _unsent;

    private enum Outcome
    {
        Answered,
        Unsent,
        Unknown,
    }

    public int Answered => Volatile.Read(ref _answered);

    public int Unsent => Volatile.Read(ref _unsent);

    /// <summary>A thread that calls synchronously, one call after the other.</summary>
    public void CallInTurn(RpcClient client, Func<bool> until) => Begin(() =>
    {
        ITests tests = TestsRpc.Client(client);
        for (int round = 0; !until(); round++)
        {
            Blob request = Next(round % 50 == 49 ? 300_000 : 64);
            Note(request, () => tests.Echo(request));
        }
    });

    /// <summary>A thread that makes so many asynchronous calls at once, and then waits for their answers.</summary>
    public void CallInBursts(RpcClient client, int burst, int size, Func<bool> until) => Begin(() =>
    {
        ITests tests = TestsRpc.Client(client);
        while (!until())
        {
            Blob[] requests = [.. Enumerable.Range(0, burst).Select(_ => Next(size))];
            Task<Blob>?[] calls = [.. requests.Select(request => Start(tests, request))];
            for (int i = 0; i < burst; i++)
            {
                if (calls[i] is { } call)
                    Note(requests[i], () => call.GetAwaiter().GetResult());
            }
        }
    });

    /// <summary>A thread that does something else meanwhile: it returns, or throws what is wrong.</summary>
    public void Begin(Action body) => _callers.Add(Task.Factory.StartNew(body, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));

    /// <summary>A request with a number of its own.</summary>
    public Blob Next(int size)
    {
        var data = new byte[size];
        BinaryPrimitives.WriteInt64LittleEndian(data, Interlocked.Increment(ref _numbers));
        return new Blob { Data = data };
    }

    public async Task Over()
    {
        foreach (Task caller in _callers)
            await caller.InTime();
    }

    /// <summary>What the clients were told is what happened.</summary>
    /// <param name="file">The numbers that were handled.</param>
    /// <param name="mayBeUnknown">Whether a server was killed, so that of some calls nothing is known.</param>
    public void Check(ReadOnlySpan<byte> file, bool mayBeUnknown = true)
    {
        long[] handled = MemoryMarshal.Cast<byte, long>(file).ToArray();
        var set = handled.ToHashSet();
        Assert.Empty(_wrong);
        Assert.Empty(handled.GroupBy(static number => number).Where(static same => same.Count() > 1).Select(static same => same.Key));
        Assert.DoesNotContain(Of(Outcome.Answered), number => !set.Contains(number));
        Assert.DoesNotContain(Of(Outcome.Unsent), set.Contains);
        if (!mayBeUnknown)
            Assert.Empty(Of(Outcome.Unknown));
    }

    private IEnumerable<long> Of(Outcome outcome) => _outcomes.Where(each => each.Value == outcome).Select(static each => each.Key);

    private Task<Blob>? Start(ITests tests, Blob request)
    {
        try
        {
            return tests.EchoAsync(request);
        }
        catch (RpcCallException e)
        {
            Note(request, e);
            return null;
        }
    }

    private void Note(Blob request, Func<Blob> answer)
    {
        try
        {
            Blob got = answer();
            if (!got.Data.AsSpan().SequenceEqual(request.Data))
                _wrong.Enqueue("a wrong answer");
            _outcomes[NumberOf(request)] = Outcome.Answered;
            Interlocked.Increment(ref _answered);
        }
        catch (RpcCallException e)
        {
            Note(request, e);
        }
    }

    private void Note(Blob request, RpcCallException failure)
    {
        if (failure.Status != RpcStatus.Unavailable)
            _wrong.Enqueue(failure.Status + ": " + failure.Message);
        _outcomes[NumberOf(request)] = failure.IsUnsent ? Outcome.Unsent : Outcome.Unknown;
        if (failure.IsUnsent)
            Interlocked.Increment(ref _unsent);
        Thread.Sleep(1); // there may be no server for a while
    }

    private static long NumberOf(Blob request) => BinaryPrimitives.ReadInt64LittleEndian(request.Data);
}
