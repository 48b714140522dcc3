using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer.Interop;

/// <summary>The contract served in C#. Tells when a caller's token fires, and how much a stream has produced.</summary>
public sealed class ManagedTests : ITests
{
    private const int Unlucky = 13;
    private int _notes;
    private int _produced;
    private int _taken;

    public TaskCompletionSource SleepBegun { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource SleepCancelled { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource CountEnded { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource StreamCancelled { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Items that <see cref="Count"/> has yielded.</summary>
    public int Produced => Volatile.Read(ref _produced);

    /// <summary>Items of callers that have been taken.</summary>
    public int Taken => Volatile.Read(ref _taken);

    /// <summary>Gets every request of Echo before it is answered.</summary>
    public Action<Blob>? Echoing { get; init; }

    /// <summary>Gets every Note.</summary>
    public Action<Blob>? Noting { get; init; }

    public Blob Echo(Blob request)
    {
        Echoing?.Invoke(request);
        return request;
    }

    public Task<Blob> EchoAsync(Blob request, CancellationToken cancel = default) => Task.FromResult(Echo(request));

    public Blob Fail(FailRequest request) => throw new RpcCallException((RpcStatus)request.Status, request.Text);

    public Blob FailWith(FailRequest request)
    {
        RpcDetail detail = RpcDetail.Of(TestsRpc.Codecs.Blob, Text(request.Text));
        throw new RpcCallException((RpcStatus)request.Status, request.Text, [detail]);
    }

    public async Task<Blob> SleepAsync(SleepRequest request, CancellationToken cancel = default)
    {
        SleepBegun.TrySetResult();
        Deadline until = RpcContext.Current!.Deadline;
        while (request.PastDeadline && !until.HasPassed)
            await Task.Delay(1, CancellationToken.None);
        try
        {
            await Task.Delay(request.Ms, cancel);
        }
        catch (OperationCanceledException)
        {
            SleepCancelled.TrySetResult();
            throw;
        }
        return new Blob();
    }

    public async IAsyncEnumerable<Blob> Count(CountRequest request, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        try
        {
            for (int number = 0; number < request.Count; number++)
            {
                Interlocked.Increment(ref _produced);
                yield return new Blob { Data = Pattern.Of(number, request.Size) };
                await Task.CompletedTask;
            }
        }
        finally
        {
            CountEnded.TrySetResult();
        }
    }

    public async Task<Blob> CollectAsync(CountRequest request, IAsyncEnumerable<Blob> items, CancellationToken cancel = default)
    {
        int count = 0;
        long bytes = 0;
        await foreach (Blob item in Taking(request, items, cancel))
        {
            count++;
            bytes += item.Data.Length;
        }
        return Text(string.Create(CultureInfo.InvariantCulture, $"{count} {bytes}"));
    }

    public IAsyncEnumerable<Blob> Mirror(CountRequest request, IAsyncEnumerable<Blob> items, CancellationToken cancel = default) => Taking(request, items, cancel);

    public void Note(Blob request)
    {
        Noting?.Invoke(request);
        Interlocked.Increment(ref _notes);
    }

    public Blob Noted(Blob request) => Text(Volatile.Read(ref _notes));

    public async Task<Blob> StepsAsync(CountRequest request, IProgress<Blob> progress, CancellationToken cancel = default)
    {
        for (int step = 1; step <= request.Count; step++)
        {
            progress.Report(Text(step));
            await Task.Yield();
        }
        return Text(request.Count);
    }

    public Blob Labels(Blob request)
    {
        RpcContext context = RpcContext.Current!;
        foreach (KeyValuePair<string, ReadOnlyMemory<byte>> label in context.RequestMetadata)
            context.ResponseMetadata.Add(label.Key, label.Value);
        return new Blob { Data = Activity.Current is { } span ? TraceOf(span) : [] };
    }

    public async Task<Blob> RelayAsync(CountRequest request, CancellationToken cancel = default)
    {
        ITestsBack back = TestsRpc.Callback(RpcContext.Current!);
        for (int number = 0; number < request.Count; number++)
        {
            byte[] data = Pattern.Of(number, request.Size);
            Blob got = await back.BackAsync(new Blob { Data = data }, cancel);
            if (!got.Data.AsSpan().SequenceEqual(data))
                throw new RpcCallException(RpcStatus.DataLoss, $"callback {number} brought something else");
        }
        return Text(request.Count);
    }

    public async Task<Blob> PullAsync(CountRequest request, CancellationToken cancel = default)
    {
        int right = 0;
        await foreach (Blob item in TestsRpc.Callback(RpcContext.Current!).Feed(request, cancel))
            right += item.Data.AsSpan().SequenceEqual(Pattern.Of(right, request.Size)) ? 1 : 0;
        return Text(right);
    }

    public Blob Remaining(Blob request) => Text((int)RpcContext.Current!.Deadline.Remaining.TotalMilliseconds);

    /// <summary>The caller's trace context, as a head has it: 16 bytes trace id, 8 bytes parent span id, 1 byte flags.</summary>
    private static byte[] TraceOf(Activity span)
    {
        var trace = new byte[25];
        span.TraceId.CopyTo(trace.AsSpan(0, 16));
        span.ParentSpanId.CopyTo(trace.AsSpan(16, 8));
        trace[24] = (byte)span.ActivityTraceFlags;
        return trace;
    }

    private static Blob Text(int number) => Text(number.ToString(CultureInfo.InvariantCulture));

    private static Blob Text(string text) => new() { Data = Encoding.UTF8.GetBytes(text) };

    private async IAsyncEnumerable<Blob> Taking(CountRequest request, IAsyncEnumerable<Blob> items, [EnumeratorCancellation] CancellationToken cancel)
    {
        int count = 0;
        await using IAsyncEnumerator<Blob> at = items.GetAsyncEnumerator(cancel);
        while ((request.Count == 0 || count < request.Count) && await Next(at))
        {
            if (at.Current.Data.Length == Unlucky)
                throw new RpcCallException(RpcStatus.OutOfRange, "unlucky");
            count++;
            Interlocked.Increment(ref _taken);
            yield return at.Current;
        }
    }

    private async ValueTask<bool> Next(IAsyncEnumerator<Blob> items)
    {
        try
        {
            return await items.MoveNextAsync();
        }
        catch (OperationCanceledException)
        {
            StreamCancelled.TrySetResult();
            throw;
        }
    }
}
