using System;
using System.IO;

namespace Ipc.Matrix;

using Ipc.Rpc;

/// <summary>What <see cref="RpcFetch"/> asks for, with the bytes taken out of the response in another way.</summary>
/// <param name="figure">The row.</param>
/// <param name="bytes">Of the response.</param>
/// <param name="count">How many calls.</param>
/// <param name="take">Takes the bytes where they are.</param>
/// <param name="finish">Is done with what was taken, and says how many bytes there were.</param>
internal sealed class RpcFetchAs<T>(Figure figure, int bytes, int count, RpcFetchAs<T>.Taking take, Func<T, int> finish) : RpcPair(figure, count)
{
    private const uint DataTag = (1 << 3) | 2;

    private readonly RpcMethod<FetchRequest, T> _fetch = new(
        BenchRpc.Fetch.Service,
        BenchRpc.Fetch.Name,
        RpcMethodKind.Unary,
        BenchRpc.Fetch.Request,
        new MessageCodec<T>("Blob", CannotWrite, (ref ProtoReader reader) => Read(ref reader, take)));

    internal delegate T Taking(ref ProtoReader reader);

    public override double Measure(int count)
    {
        Call operation = new(Client, _fetch, bytes, finish);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, Unit.Microseconds);
    }

    private static T Read(ref ProtoReader reader, Taking take)
    {
        T taken = default!;
        while (reader.TryReadTag(out uint tag))
        {
            if (tag == DataTag)
                taken = take(ref reader);
            else
                reader.SkipField(tag);
        }

        return taken;
    }

    private static void CannotWrite(ref ProtoWriter writer, in T value) => throw new NotSupportedException("Only a server sends this.");

    private readonly struct Call(RpcClient client, RpcMethod<FetchRequest, T> fetch, int bytes, Func<T, int> finish) : IOperation
    {
        public void Run()
        {
            if (finish(client.Call(fetch, new FetchRequest(bytes))) != bytes)
                throw new InvalidDataException("The response has another content.");
        }
    }
}
