using System;
using System.Globalization;
using System.IO;
using System.Linq;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Google.Protobuf;

namespace Ipc.Bench;

/// <summary>The generated codec against Google.Protobuf: the same table, the same bytes, into and out of memory that is there.</summary>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public class CodecBenchmarks
{
    private const int Seed = 20_240;

    private Table _table = new();
    private Google.Table _googleTable = new();
    private byte[] _bytes = [];

    /// <summary>Rows of the table; ten values each.</summary>
    [Params(1, 20, 500)]
    public int Rows { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        Random random = new(Seed);
        _table = new Table
        {
            Fields = Enumerable.Range(0, 10).Select(field => "field" + field.ToString(CultureInfo.InvariantCulture)).ToList(),
            Rows = Enumerable.Range(0, Rows).Select(row => new Row
            {
                Id = "id:" + row.ToString(CultureInfo.InvariantCulture),
                Values = Enumerable.Range(0, 10).Select(_ => random.NextDouble()).ToList(),
                Time = random.NextInt64(1L << 50),
            }).ToList(),
        };
        byte[] place = new byte[1 << 20];
        _bytes = place[..Encode(place)];
        _googleTable = Google.Table.Parser.ParseFrom(_bytes);
        if (!_googleTable.ToByteArray().AsSpan().SequenceEqual(_bytes))
            throw new InvalidDataException("The two write different bytes: there is nothing to compare.");
    }

    [Benchmark]
    [BenchmarkCategory("encode")]
    public int EncodeGenerated() => Encode(_bytes);

    [Benchmark(Baseline = true)]
    [BenchmarkCategory("encode")]
    public void EncodeGoogle() => _googleTable.WriteTo(_bytes.AsSpan());

    [Benchmark]
    [BenchmarkCategory("decode")]
    public Table DecodeGenerated() => TablesRpc.Mirror.Request.Decode(_bytes);

    [Benchmark(Baseline = true)]
    [BenchmarkCategory("decode")]
    public Google.Table DecodeGoogle() => Google.Table.Parser.ParseFrom(_bytes.AsSpan());

    private int Encode(Span<byte> place) => TablesRpc.Mirror.Request.Encode(_table, place);
}
