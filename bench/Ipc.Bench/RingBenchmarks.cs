using System;
using System.IO;
using BenchmarkDotNet.Attributes;

namespace Ipc.Bench;

/// <summary>The instructions of a claim, commit, read and release: both ends in one thread, so no line ever moves.</summary>
[MemoryDiagnoser]
public class RingBenchmarks
{
    private readonly string _name = "bench-" + Guid.NewGuid().ToString("N");
    private byte[] _payload = [];
    private RingWriter _writer = null!;
    private RingReader _reader = null!;

    [Params(8, 64, 1024)]
    public int Length { get; set; }

    [GlobalSetup]
    public void Open()
    {
        _payload = new byte[Length];
        _writer = RingWriter.Open(_name);
        _reader = RingReader.Open(_name);
    }

    [GlobalCleanup]
    public void Close()
    {
        _writer.Dispose();
        _reader.Dispose();
    }

    [Benchmark(Baseline = true)]
    public int ClaimCommitReadRelease()
    {
        if (!_writer.TryClaim(Length, out Span<byte> place))
            throw new InvalidDataException("The ring is full although everything was released.");
        _payload.CopyTo(place);
        _writer.Commit(Length, 1);
        if (!_reader.TryRead(out RingRecord record))
            throw new InvalidDataException("The ring is empty although something was committed.");
        int length = record.Payload.Length;
        _reader.Release();
        return length;
    }

    [Benchmark]
    public void ClaimAbandon()
    {
        if (_writer.TryClaim(Length, out _))
            _writer.Abandon();
    }

    [Benchmark]
    public bool ReadEmpty() => _reader.TryRead(out _);
}
