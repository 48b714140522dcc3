using System;
using System.Diagnostics;
using Ipc.Bench.Codec;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>Writing or reading one message, in one process, by the adapter of another serializer: as its calls do, with the copy between it and the ring.</summary>
internal sealed class SerializerWork(string shape, bool encodes, IpcSerializer serializer, int count) : Subject(count)
{
    private readonly Coded _coded = Shapes.Create(shape).By(serializer);
    private object? _last; // what was read, so that reading is not left out

    /// <summary>"codec.encode.table.protobufnet": what is done, which message (without a word the small one), by whom.</summary>
    public static SerializerWork Of(string figure)
    {
        string[] parts = figure.Split('.');
        IpcSerializer serializer = parts[^1] switch
        {
            "protobufnet" => new ProtobufNetIpcSerializer(),
            "messagepack" => new MessagePackIpcSerializer(),
            _ => throw new ArgumentException($"There is no serializer of {figure}.", nameof(figure)),
        };
        string shape = parts.Length == 4 ? parts[2] : Shapes.Small;
        int count = shape switch { Shapes.Small => 100_000, Shapes.Table => 100, _ => 2_000 };
        return new SerializerWork(shape, parts[1] == "encode", serializer, count);
    }

    public override void Open(string name, Side side)
    {
    }

    public override double Measure(int count)
    {
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            if (encodes)
                _coded.Encode();
            else
                _last = _coded.Decode();
        }

        return Nanoseconds(began, count);
    }

    public override void Dispose() => _last = null;
}
