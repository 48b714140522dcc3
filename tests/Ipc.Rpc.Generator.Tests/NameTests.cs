using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>Any name that C# allows for a parameter, a method or a member: what is generated of it compiles.</summary>
public sealed class NameTests
{
    /// <summary>What objects, structs, records and tasks have, what generated code calls its own, and all keywords.</summary>
    private static readonly string[] _names =
        new[] { "Equals", "ReferenceEquals", "GetHashCode", "GetType", "ToString", "MemberwiseClone", "Finalize", "EqualityContract", "PrintMembers", "Deconstruct", "Clone", "Dispose" }
            .SelectMany(static name => new[] { name, char.ToLowerInvariant(name[0]) + name.Substring(1) })
            .Concat(new[] { "request", "items", "progress", "cancel", "implementation", "caller", "_caller", "reader", "writer", "value", "tag", "item", "key", "f1", "result", "end", "ipcError", "service", "proxy", "codecs", "serviceName", "instance", "global", "system", "ipc", "_", "__", "source", "target" })
            .Concat(SyntaxFacts.GetKeywordKinds().Concat(SyntaxFacts.GetContextualKeywordKinds()).Select(SyntaxFacts.GetText).Where(SyntaxFacts.IsValidIdentifier))
            .Concat(SyntaxFacts.GetReservedKeywordKinds().Select(SyntaxFacts.GetText))
            .Where(static text => text.All(static c => c == '_' || char.IsAsciiLetterOrDigit(c)))
            .Distinct(StringComparer.Ordinal)
            .ToArray();

    [Fact]
    public void AParameterMayHaveAnyName()
    {
        var members = new StringBuilder();
        for (int i = 0; i < _names.Length; i++)
        {
            string parameter = "@" + _names[i];
            members.AppendLine(CultureInfo.InvariantCulture, $$"""
                int F{{i}}(string {{parameter}}, int other);
                Task<int> F{{i}}Async(string {{parameter}}, int other);
                int G{{i}}(string {{parameter}});
                [IpcOneWay] Task H{{i}}(string {{parameter}}, List<int> other);
                Task<int> I{{i}}(string first, IAsyncEnumerable<int> {{parameter}});
                Task<int> J{{i}}(string {{parameter}}, int other, IProgress<int> third);
                Task<int> K{{i}}(int other, string third, IProgress<int> {{parameter}}, CancellationToken fourth);
                [IpcOneWay] Task L{{i}}(int other, CancellationToken {{parameter}});
                """);
        }

        members.AppendLine("int F(string fRequest, bool request);");
        Check("[IpcService(\"s.v1\")] public interface IC { " + members + " }");
    }

    [Fact]
    public void AMethodMayHaveAnyName()
        => Check("[IpcService(\"s.v1\")] public interface IC { " + string.Concat(_names.Select(static name => "int @" + name + "(string first, int second);")) + " }");

    [Fact]
    public void AMemberMayHaveAnyName()
    {
        // Without those that the compiler refuses, or warns of, in the class itself.
        IEnumerable<string> allowed = _names.Where(static n => n is not ("Finalize" or "MemberwiseClone") && !typeof(object).GetMembers().Any(m => m.Name == n));
        string classes = string.Concat(allowed.Select(static (name, i) => $$"""
            [DataContract] public class M{{i}} { [DataMember(Order = 1)] public int @{{name}}; [DataMember(Order = 2)] public List<M{{i}}> other_one { get; set; } = new(); [DataMember(Order = 3)] public M{{i}}? other_two { get; set; } }

            """));
        Check("[IpcService(\"s.v1\")] public interface IC { " + string.Concat(allowed.Select(static (_, i) => "M" + i + " F" + i + "(M" + i + " first, int second);")) + " }\n" + classes);
    }

    private static void Check(string source)
    {
        CSharpCompilation compilation = Compiler.Compile(source);
        Assert.Empty(Compiler.Complaints(compilation));
        Assert.Empty(Compiler.Analyze(compilation));
        IReadOnlyList<GeneratedSourceResult> generated = Compiler.Generate(compilation, out Compilation output);
        Assert.Single(generated);
        Assert.Empty(Compiler.Complaints(output));
    }
}
