using System;
using System.IO;

namespace Ipc.Matrix;

using Ipc.Rpc;

/// <summary>What <see cref="RpcFetch"/> asks for, every byte of it looked at where it is, and none of it copied out of the ring.</summary>
internal sealed class RpcFetchInPlace(int bytes, int count) : RpcPair(WaitMode.Spin, count, largeRing: false)
{
    private const uint DataTag = (1 << 3) | 2;

    private readonly RpcMethod<FetchRequest, int> _fetch = new(
        BenchRpc.Fetch.Service, BenchRpc.Fetch.Name, RpcMethodKind.Unary, BenchRpc.Fetch.Request, new MessageCodec<int>("Blob", CannotWrite, Look));

    public override double Measure(int count)
    {
        Call operation = new(Client, _fetch, bytes);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, Unit.Microseconds);
    }

    private static int Look(ref ProtoReader reader)
    {
        int found = 0;
        while (reader.TryReadTag(out uint tag))
        {
            if (tag == DataTag)
                found = reader.ReadBytesInPlace().Count((byte)'x');
            else
                reader.SkipField(tag);
        }

        return found;
    }

    private static void CannotWrite(ref ProtoWriter writer, in int value) => throw new NotSupportedException("Only a server sends this.");

    private readonly struct Call(RpcClient client, RpcMethod<FetchRequest, int> fetch, int bytes) : IOperation
    {
        public void Run()
        {
            if (client.Call(fetch, new FetchRequest(bytes)) != bytes)
                throw new InvalidDataException("The response has another content.");
        }
    }
}
