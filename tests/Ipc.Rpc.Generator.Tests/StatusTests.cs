using System;
using System.Collections.Immutable;
using Ipc.Analyzers;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>What of Ipc.Core may not be ignored.</summary>
public sealed class StatusTests
{
    [Theory]
    [InlineData("queue.Send(default, 0, Deadline.Never);", "SharedQueue.Send")]
    [InlineData("queue.TrySend(default);", "SharedQueue.TrySend")]
    [InlineData("queue?.TrySend(default);", "SharedQueue.TrySend")]
    [InlineData("maybe?.Send(default, 0, Deadline.Never);", "SharedQueue.Send")]
    [InlineData("writer.Write(default, 0, Deadline.Never);", "RingWriter.Write")]
    [InlineData("topic.Publish(default, 0, 0, Deadline.Never);", "TopicWriter.Publish")]
    [InlineData("if (queue != null) topic.TryPublish(default);", "TopicWriter.TryPublish")]
    [InlineData("mutex.Acquire(Deadline.Never);", "SharedMutex.Acquire")]
    [InlineData("Action send = () => queue.TrySend(default);", "SharedQueue.TrySend")]
    [InlineData("Action send = delegate { queue.TrySend(default); };", "SharedQueue.TrySend")]
    [InlineData("queue.Receive(out _, Deadline.Never);", "SharedQueue.Receive")]
    [InlineData("queue.Wait(TimeSpan.Zero);", "SharedQueue.Wait")]
    [InlineData("reader.Read(out _, TimeSpan.Zero);", "TopicReader.Read")]
    [InlineData("writer.Claim(1, out _, TimeSpan.Zero);", "RingWriter.Claim")]
    public void AnAnswerThatNobodyLooksAtIsReported(string statement, string method)
    {
        Diagnostic found = Assert.Single(Analyze(statement));
        Assert.Equal(("IPC001", DiagnosticSeverity.Warning), (found.Id, found.Severity));
        Assert.Contains("'" + method + "'", found.GetMessage(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("_ = queue.Send(default, 0, Deadline.Never);")]
    [InlineData("bool sent = queue.TrySend(default); GC.KeepAlive(sent);")]
    [InlineData("if (!queue.TrySend(default)) throw new Exception();")]
    [InlineData("while (queue.Send(default, 0, Deadline.Never) != IpcStatus.Ok) { }")]
    [InlineData("Func<bool> send = () => queue.TrySend(default); GC.KeepAlive(send);")]
    [InlineData("writer.Write(default, 0, TimeSpan.Zero);")]
    [InlineData("topic.Publish(default, 0, 0, TimeSpan.Zero);")]
    [InlineData("reader.Release();")]
    [InlineData("queue.Dispose();")]
    [InlineData("new Dictionary<int, int>().TryAdd(1, 2);")]
    [InlineData("Own(queue);")]
    public void WhatIsLookedAtOrIsNoAnswerIsNot(string statement) => Assert.Empty(Analyze(statement));

    private static ImmutableArray<Diagnostic> Analyze(string statement)
    {
        CSharpCompilation compilation = Compiler.Compile(
            "using Ipc; class Program { static IpcStatus Own(SharedQueue q) => q.Send(default, 0, Deadline.Never); "
            + "static void Main(SharedQueue queue, SharedQueue? maybe, RingWriter writer, TopicWriter topic, TopicReader reader, SharedMutex mutex) { " + statement + " } }");
        Assert.DoesNotContain(compilation.GetDiagnostics(), static d => d.Severity == DiagnosticSeverity.Error);
        var options = new CompilationWithAnalyzersOptions(new AnalyzerOptions(default), (exception, _, _) => throw new InvalidOperationException("The analyzer failed.", exception), concurrentAnalysis: false, logAnalyzerExecutionTime: false);
        return new CompilationWithAnalyzers(compilation, ImmutableArray.Create<DiagnosticAnalyzer>(new StatusAnalyzer()), options)
            .GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken).GetAwaiter().GetResult();
    }
}
