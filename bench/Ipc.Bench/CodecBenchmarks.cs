using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Ipc.Bench.Codec;

namespace Ipc.Bench;

/// <summary>The generated codec against Google.Protobuf.</summary>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory, BenchmarkLogicalGroupRule.ByParams)]
[CategoriesColumn]
public class CodecBenchmarks
{
    private Shape _shape = null!;

    [Params(Shapes.Small, Shapes.Table, Shapes.Packed)]
    public string Message { get; set; } = "";

    [GlobalSetup]
    public void Fill() => _shape = Shapes.Create(Message);

    [Benchmark]
    [BenchmarkCategory("encode")]
    public int EncodeGenerated() => _shape.EncodeGenerated();

    [Benchmark(Baseline = true)]
    [BenchmarkCategory("encode")]
    public int EncodeGoogle() => _shape.EncodeGoogle();

    [Benchmark]
    [BenchmarkCategory("decode")]
    public object DecodeGenerated() => _shape.DecodeGenerated();

    [Benchmark(Baseline = true)]
    [BenchmarkCategory("decode")]
    public object DecodeGoogle() => _shape.DecodeGoogle();
}
