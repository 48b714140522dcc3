using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer;

/// <summary>One method of each kind that <see cref="ITestService"/> has not, written by hand: numbers go in and out.</summary>
/// <remarks>Negative numbers make handlers do what a test is about; each says which.</remarks>
public sealed class Shapes
{
    public const string Name = "shapes.v1";

    /// <summary>A number that cannot be encoded.</summary>
    public const int Unspeakable = -77;

    private int _begun;
    private int _itemsSeen;
    private int _working;
    private int _ended;
    private int _cancelled;
    private int _notified;

    public static MessageCodec<int> Number { get; } = new(
        "Number",
        static (ref ProtoWriter writer, in int value) =>
        {
            if (value == Unspeakable)
                throw new InvalidOperationException("this number is not spoken of");
            if (value != 0)
                writer.WriteInt32(1 << 3, value);
        },
        static (ref ProtoReader reader) =>
        {
            int value = 0;
            while (reader.TryReadTag(out uint tag))
            {
                if (tag == 1 << 3)
                    value = reader.ReadInt32();
                else
                    reader.SkipField(tag);
            }

            return value;
        },
        package: Name);

    /// <summary>The sum of the items and the request. Request -1: answers 1 after three items. -2: fails after three. -3: waits for ever.</summary>
    public static RpcStreamMethod<int, int, int> Sum { get; } = new(Name, "Sum", RpcMethodKind.ClientStream, Number, Number, Number);

    /// <summary>Each item plus the request. Request -1: ends after three items. -2: fails after three.</summary>
    public static RpcStreamMethod<int, int, int> Shift { get; } = new(Name, "Shift", RpcMethodKind.Duplex, Number, Number, Number);

    public static RpcMethod<int, RpcEmpty> Notice { get; } = new(Name, "Notice", RpcMethodKind.Unary, Number, RpcEmpty.Codec, isOneWay: true);

    /// <summary>Reports 1 to the request, then answers it. A negative one: reports 1, then waits until it is cancelled.</summary>
    public static RpcProgressMethod<int, int, int> Work { get; } = new(Name, "Work", Number, Number, Number);

    /// <summary>Fails with a detail that holds the number.</summary>
    public static RpcMethod<int, int> Fail { get; } = new(Name, "Fail", RpcMethodKind.Unary, Number, Number);

    /// <summary>Answers how often the metadata key "k" came, and sends each value back under "back".</summary>
    public static RpcMethod<int, int> Meta { get; } = new(Name, "Meta", RpcMethodKind.Unary, Number, Number);

    /// <summary>How many handlers of <see cref="Sum"/> and <see cref="Shift"/> have begun: one whose call is cancelled earlier never does.</summary>
    public int Begun => Volatile.Read(ref _begun);

    public int ItemsSeen => Volatile.Read(ref _itemsSeen);

    /// <summary>How many calls of <see cref="Work"/> have come.</summary>
    public int Working => Volatile.Read(ref _working);

    /// <summary>How many handlers have ended, in whatever way.</summary>
    public int Ended => Volatile.Read(ref _ended);

    /// <summary>How many of them because they were cancelled.</summary>
    public int Cancelled => Volatile.Read(ref _cancelled);

    public int Notified => Volatile.Read(ref _notified);

    public RpcService Service() => new(Name, new[]
    {
        RpcHandler.ClientStream(Sum, SumAsync),
        RpcHandler.Duplex(Shift, ShiftAsync),
        RpcHandler.OneWay(Notice, number =>
        {
            Interlocked.Add(ref _notified, number);
            if (number < 0)
                throw new InvalidOperationException("nobody hears this");
        }),
        RpcHandler.UnaryProgress(Work, WorkAsync),
        RpcHandler.Unary<int, int>(Fail, static (number, _) =>
            throw new RpcCallException(RpcStatus.Aborted, "with a detail", new[] { RpcDetail.Of(Number, number) })),
        RpcHandler.Unary(Meta, static (number, _) =>
        {
            RpcContext context = RpcContext.Current!;
            int seen = 0;
            foreach (KeyValuePair<string, ReadOnlyMemory<byte>> entry in context.RequestMetadata)
            {
                if (entry.Key != "k")
                    continue;
                seen++;
                context.ResponseMetadata.Add("back", entry.Value);
            }

            return number < 0 ? throw new RpcCallException(RpcStatus.NotFound, "with metadata") : seen;
        }),
    });

    private async ValueTask<int> SumAsync(int request, IAsyncEnumerable<int> items, CancellationToken cancel)
    {
        Interlocked.Increment(ref _begun);
        try
        {
            int sum = request, seen = 0;
            await foreach (int item in items)
            {
                Interlocked.Increment(ref _itemsSeen);
                sum += item;
                if (++seen == 3 && request is -1 or -2)
                    return request == -1 ? 1 : throw new RpcCallException(RpcStatus.Aborted, "three are enough");
            }

            if (request == -3)
                await Task.Delay(Timeout.Infinite, cancel);
            return sum;
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref _cancelled);
            throw;
        }
        finally
        {
            Interlocked.Increment(ref _ended);
        }
    }

    private async IAsyncEnumerable<int> ShiftAsync(int request, IAsyncEnumerable<int> items, [EnumeratorCancellation] CancellationToken cancel)
    {
        Interlocked.Increment(ref _begun);
        int seen = 0;
        try
        {
            await foreach (int item in items.WithCancellation(cancel))
            {
                Interlocked.Increment(ref _itemsSeen);
                yield return item + Math.Max(0, request);
                if (++seen == 3 && request == -1)
                    yield break;
                if (seen == 3 && request == -2)
                    throw new RpcCallException(RpcStatus.Aborted, "three are enough");
            }
        }
        finally
        {
            Interlocked.Increment(ref _ended);
        }
    }

    private async ValueTask<int> WorkAsync(int request, IProgress<int> progress, CancellationToken cancel)
    {
        Interlocked.Increment(ref _working);
        try
        {
            progress.Report(1);
            if (request < 0)
                await Task.Delay(Timeout.Infinite, cancel);
            for (int i = 2; i <= request; i++)
                progress.Report(i);
            return request;
        }
        catch (OperationCanceledException)
        {
            Interlocked.Increment(ref _cancelled);
            throw;
        }
    }
}
