using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>A keystroke somewhere else costs nothing: the model is equal, so nothing is emitted again.</summary>
public sealed class CachingTests
{
    private static readonly CSharpCompilation _before = Compiler.Compile(Contracts.Monitor);

    [Fact]
    public void AnUnrelatedEditLeavesEveryStepCachedOrUnchanged()
    {
        GeneratorRunResult result = RunTwice(_before.AddSyntaxTrees(Compiler.Parse("class Unrelated { int x; }", LanguageVersion.Latest, "Unrelated.cs")));

        Assert.NotEmpty(result.TrackedSteps[ContractGenerator.ContractStep]);
        Assert.All(
            result.TrackedSteps[ContractGenerator.ContractStep].SelectMany(static s => s.Outputs),
            static o => Assert.True(o.Reason is IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged, o.Reason.ToString()));
        Assert.All(
            result.TrackedOutputSteps.SelectMany(static s => s.Value).SelectMany(static s => s.Outputs),
            static o => Assert.Equal(IncrementalStepRunReason.Cached, o.Reason));
    }

    [Fact]
    public void AnEditWithinTheContractsFileThatChangesNoContractEmitsNothingAgain()
    {
        SyntaxTree tree = _before.SyntaxTrees[0];
        string text = tree.ToString().Replace("public interface ISystemMonitor", "/* moved */\n\npublic interface ISystemMonitor", System.StringComparison.Ordinal);
        GeneratorRunResult result = RunTwice(_before.ReplaceSyntaxTree(tree, Compiler.Parse(text, LanguageVersion.Latest, "Contract.cs")));
        Assert.All(
            result.TrackedOutputSteps.SelectMany(static s => s.Value).SelectMany(static s => s.Outputs),
            static o => Assert.Equal(IncrementalStepRunReason.Cached, o.Reason));
    }

    [Fact]
    public void AnEditOfAMessageIsNoticed()
    {
        SyntaxTree tree = _before.SyntaxTrees[0];
        string text = tree.ToString().Replace("DateTime Taken", "TimeSpan Taken", System.StringComparison.Ordinal);
        GeneratorRunResult result = RunTwice(_before.ReplaceSyntaxTree(tree, Compiler.Parse(text, LanguageVersion.Latest, "Contract.cs")));
        Assert.Contains(result.TrackedSteps[ContractGenerator.ContractStep].SelectMany(static s => s.Outputs), static o => o.Reason == IncrementalStepRunReason.Modified);
        Assert.Contains("ReadDuration", Assert.Single(result.GeneratedSources).SourceText.ToString(), System.StringComparison.Ordinal);
    }

    private static GeneratorRunResult RunTwice(CSharpCompilation after)
    {
        var cancel = TestContext.Current.CancellationToken;
        GeneratorDriver driver = Compiler.Driver(_before).RunGenerators(_before, cancel);
        return driver.RunGenerators(after, cancel).GetRunResult().Results.Single();
    }
}
