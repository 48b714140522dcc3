using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>The generated code, whole, as it was last looked at; and that it compiles without a warning.</summary>
public sealed class SnapshotTests
{
    /// <summary>After a wanted change, run once with IPC_UPDATE_SNAPSHOTS=1 and read the difference before checking it in.</summary>
    [Theory]
    [InlineData("Monitor", Contracts.Monitor)]
    [InlineData("Awkward", Contracts.Awkward)]
    [InlineData("Shapes", Contracts.Shapes)]
    [InlineData("Foreign", Contracts.Foreign)]
    [InlineData("Kinds", Contracts.Kinds)]
    public void TheGeneratedCodeIsTheSnapshot(string name, string source)
    {
        IEnumerable<GeneratedSourceResult> generated = Compiler.Generate(Compiler.Compile(source), out _).OrderBy(static g => g.HintName, StringComparer.Ordinal);
        string text = string.Join("\n", generated.Select(static g => g.SourceText.ToString()));
        string file = Path.Combine(Here(), "Snapshots", name + ".cs");
        if (Environment.GetEnvironmentVariable("IPC_UPDATE_SNAPSHOTS") == "1")
            File.WriteAllText(file, text);

        Assert.Equal(File.ReadAllText(file), text);
    }

    [Theory]
    [InlineData(Contracts.Monitor)]
    [InlineData(Contracts.Awkward)]
    [InlineData(Contracts.Shapes)]
    [InlineData(Contracts.Foreign)]
    [InlineData(Contracts.Kinds)]
    public void TheGeneratedCodeCompilesWithoutAWarning(string source)
    {
        CSharpCompilation compilation = Compiler.Compile(source);
        Assert.DoesNotContain(Compiler.Analyze(compilation), static d => d.Id != "IPCRPC027"); // collections that may be null are among what is tried
        Compiler.Generate(compilation, out Compilation output);
        Assert.Empty(Compiler.Complaints(output));
    }

    [Fact]
    public void TheGeneratedCodeNeedsNoMoreThanCSharp8()
    {
        const string Old = """
            namespace Old
            {
                [IpcService("old.v1")]
                public interface IOld
                {
                    Thing Get(Thing thing);
                    ValueTask<string?> FindAsync(int a, long? b, List<double> c, CancellationToken cancel);
                    IAsyncEnumerable<Guid> Ids();
                }

                [DataContract]
                public class Thing
                {
                    [DataMember(Order = 1)] public Dictionary<int, Thing>? Things { get; set; }
                    [DataMember(Order = 2)] public DateTime[]? Times { get; set; }
                    [DataMember(Order = 3)] public byte[] Bytes { get; set; } = new byte[0];
                }
            }
            """;
        CSharpCompilation compilation = Compiler.Compile(Old, LanguageVersion.CSharp8);
        Assert.DoesNotContain(Compiler.Analyze(compilation), static d => d.Id != "IPCRPC027"); // collections that may be null are among what is tried
        Assert.Single(Compiler.Generate(compilation, out Compilation output));
        Assert.Empty(Compiler.Complaints(output));
    }

    [Theory]
    [InlineData(Contracts.Shapes, 2)]
    [InlineData(Contracts.Kinds, 1)]
    public void EveryShapeCompilesAsCSharp8(string source, int contracts)
    {
        CSharpCompilation compilation = Compiler.Compile(source.Replace("= new();", "= null!;", StringComparison.Ordinal), LanguageVersion.CSharp8);
        Assert.DoesNotContain(Compiler.Analyze(compilation), static d => d.Id != "IPCRPC027"); // collections that may be null are among what is tried
        IReadOnlyList<GeneratedSourceResult> generated = Compiler.Generate(compilation, out Compilation output);
        Assert.Equal(contracts, generated.Count);
        Assert.Empty(Compiler.Complaints(output));
        Assert.All(generated, static g => Assert.DoesNotContain("ModuleInitializer", g.SourceText.ToString(), StringComparison.Ordinal)); // which is C# 9
    }

    [Fact]
    public void ContractsWhoseClassesClashAreForTheCompilerToReport()
    {
        const string Clash = "[IpcService(\"a\")] public interface IFoo { void F(); } [IpcService(\"b\")] public interface Foo { void F(); }";
        Assert.Equal(2, Compiler.Generate(Compiler.Compile(Clash), out Compilation output).Count);
        Assert.NotEmpty(Compiler.Complaints(output));
    }

    [Fact]
    public void LinesEndInLineFeedsOnEverySystem()
    {
        IReadOnlyList<GeneratedSourceResult> generated = Compiler.Generate(Compiler.Compile(Contracts.Monitor.ReplaceLineEndings("\r\n")), out _);
        string text = Assert.Single(generated).SourceText.ToString();
        Assert.DoesNotContain('\r', text);
        Assert.EndsWith("}\n", text, StringComparison.Ordinal);
    }

    private static string Here([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
