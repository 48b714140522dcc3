using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>Each diagnostic: a contract that has it, and the nearest one that has not. What is reported is not generated.</summary>
public sealed class DiagnosticTests
{
    private const string Message = "[DataContract] public class M { [DataMember(Order = 1)] public int X { get; set; } }";

    /// <summary>Id, the source that has it, a part of the message, and the same source mended.</summary>
    public static TheoryData<string, string, string, string> Cases { get; } = new()
    {
        { "IPCRPC001", Service("interface IC<T> { }"), "'IC<T>'", Service("interface IC { }") },
        { "IPCRPC001", "public class Outer<T> { " + Service("interface IC { }") + " }", "'Outer<T>.IC'", "public class Outer { " + Service("interface IC { }") + " }" },
        { "IPCRPC002", "public class Outer { [IpcService(\"s.v1\")] private interface IC { } }", "'Outer.IC'", "public class Outer { [IpcService(\"s.v1\")] internal interface IC { } }" },
        { "IPCRPC003", "[IpcService(\"s v1\")] public interface IC { }", "\"s v1\"", "[IpcService(\"s_.v1\")] public interface IC { }" },
        { "IPCRPC003", "[IpcService(\"\")] public interface IC { }", "\"\"", "[IpcService(\"s\")] public interface IC { }" },
        { "IPCRPC003", "[IpcService(\"s..v1\")] public interface IC { }", "\"s..v1\"", "[IpcService(\"s.a.v1\")] public interface IC { }" },
        { "IPCRPC003", "[IpcService(\"1s\")] public interface IC { }", "\"1s\"", "[IpcService(\"s1\")] public interface IC { }" },
        { "IPCRPC004", Contract("int P { get; }"), "'IC.P' is a property", Contract("int P();") },
        { "IPCRPC004", Contract("int this[int i] { get; }"), "an indexer", Contract("int P() => 1;") },
        { "IPCRPC004", Contract("event Action E;"), "'IC.E' is an event", Contract("static int F() => 1;") },
        { "IPCRPC005", Contract("void F<T>(T a);"), "'IC.F'", Contract("void F(int a);") },
        { "IPCRPC006", Contract("void F(ref int a);"), "'IC.F(a)' passes by reference ('ref')", Contract("void F(int a);") },
        { "IPCRPC006", Contract("void F(out int a);"), "('out')", Contract("int F();") },
        { "IPCRPC006", Contract("void F(in int a);"), "('in')", Contract("void F(int a);") },
        { "IPCRPC006", Contract("ref int F();"), "'IC.F'", Contract("int F();") },
        { "IPCRPC007", Contract("void F(CancellationToken c, int a);"), "'IC.F'", Contract("void F(int a, CancellationToken c);") },
        { "IPCRPC007", Contract("void F(CancellationToken a, CancellationToken b);"), "'IC.F'", Contract("void F(CancellationToken a);") },
        { "IPCRPC008", Contract("void F(object a);"), "'object' of IC.F(a)", Contract("void F(string a);") },
        { "IPCRPC008", Contract("char F();"), "'char' of IC.F()", Contract("int F();") },
        { "IPCRPC008", Contract("void F(IEnumerable<int> a);"), "it may be lazy, or endless; use an IReadOnlyCollection", Contract("void F(IReadOnlyCollection<int> a);") },
        { "IPCRPC008", Contract("void F(int[,] a);"), "'int[*,*]' of IC.F(a) cannot be sent: it has several dimensions; use an array of arrays", Contract("void F(int[][] a);") },
        { "IPCRPC008", Contract("void F(List<List<int>?> a);"), "no null in a list", Contract("void F(List<List<int>> a);") },
        { "IPCRPC008", Contract("void F(Tuple<int, string> a);"), "use a value tuple", Contract("void F((int Count, string Name) a);") },
        { "IPCRPC008", Contract("void F((int, object) a);"), "IC.F(a).Item2 cannot be sent", Contract("(int, string)? F((int, string) a);") },
        { "IPCRPC008", Contract("void F(ValueTuple<int> a);"), "two elements or more", Contract("void F(ValueTuple<int, int> a);") },
        { "IPCRPC008", Contract("void F(KeyValuePair<int, int> a);"), "use a Dictionary, or a tuple", Contract("void F(SortedDictionary<int, HashSet<string>> a);") },
        { "IPCRPC008", Contract("void F(SortedSet<M> a);"), "'M' has no order", Contract("void F(SortedSet<string> a);") },
        { "IPCRPC008", Contract("void F(Dictionary<List<int>, int> a);"), "the key of a map", Contract("void F(Dictionary<int, List<int>> a);") },
        { "IPCRPC008", Contract("void F(Queue<int> a);"), "use an array or a List", Contract("void F(ISet<int> a);") },
        { "IPCRPC008", Contract("void F(Int128 a);"), "64 bits", Contract("void F(DateOnly a, TimeOnly b, DateTimeOffset c, Uri d);") },
        { "IPCRPC008", Contract("void F(Action a);"), "use a callback contract", Contract("void F(Uri? a);") },
        { "IPCRPC015", Contract("void F(DateOnly a, D b);", "[DataContract(Name = \"DateOnly\")] public class D { }"), "'DateOnly'", Contract("void F(DateOnly a, D b);", "[DataContract] public class D { }") },
        { "IPCRPC015", Contract("void F(List<List<int>> a, ListOfInt32 b);", "[DataContract] public class ListOfInt32 { }"), "the lists of int32", Contract("void F(List<List<int>> a, Numbers b);", "[DataContract] public class Numbers { }") },
        { "IPCRPC015", Contract("void F((int A, int B) a, (int A, long B) b);"), "the tuple (int A, int B)", Contract("void F((int A, int B) a, (int A, long C) b);") },
        { "IPCRPC008", Contract("void F(List<int?> a);"), "no null in a list", Contract("void F(List<int> a);") },
        { "IPCRPC008", Contract("void F(List<string?> a);"), "no null in a list", Contract("void F(List<string> a);") },
        { "IPCRPC008", Contract("void F(Dictionary<double, int> a);"), "{key} cannot be sent", Contract("void F(Dictionary<int, double> a);") },
        { "IPCRPC008", Contract("void F(LinkedList<int> a);"), "LinkedList", Contract("void F(HashSet<int> a);") },
        { "IPCRPC008", Contract("Task<Task<int>> F();"), "Task<int>", Contract("Task<int> F();") },
        { "IPCRPC008", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public List<E> Es { get; set; } } [DataContract] public class E { [DataMember(Order = 1)] public IntPtr P { get; set; } }"), "IC.F(a).Es[].P", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public List<M> Es { get; set; } }") },
        { "IPCRPC008", Contract("void F(D a);", "public class D { }"), "[DataContract]", Contract("void F(D a);", "[DataContract] public class D { }") },
        { "IPCRPC008", Contract("void F(D<int> a);", "[DataContract] public class D<T> { }"), "a message is not generic", Contract("void F(D a);", "[DataContract] public class D { }") },
        { "IPCRPC008", Contract("void F(D a);", "[DataContract] public abstract class D { }"), "not abstract", Contract("void F(D a);", "[DataContract] public class D { }") },
        { "IPCRPC008", Contract("void F(D a);", "[DataContract] public class D : M { }"), "has fields", Contract("void F(D a);", "[DataContract] public class D : Base { } public class Base { public int X { get; set; } }") },
        { "IPCRPC008", Contract("D F();", "[DataContract, KnownType(typeof(E))] public class D { } [DataContract] public class E : D { [DataMember(Order = 1)] public int X { get; set; } }"), "what a derived class adds would not arrive", Contract("D F();", "[DataContract] public class D { }") },
        { "IPCRPC008", Contract("void F(List<D> a);", "[DataContract, KnownType(\"Types\")] public class D { }"), "[KnownType]", Contract("void F(List<D> a);", "[DataContract] public class D { }") },
        { "IPCRPC009", Contract("void F(int a); void F(string b);"), "\"F\"", Contract("void F(int a); [IpcMethod(\"G\")] void F(string b);") },
        { "IPCRPC009", Contract("int F(int a); Task<long> FAsync(int a);"), "'IC.F'", Contract("int F(int a); Task<int> FAsync(int a, CancellationToken c);") },
        { "IPCRPC009", Contract("int F(int a); Task<int> FAsync(int b);"), "'IC.F'", Contract("int F(int a); ValueTask<int> FAsync(int a);") },
        { "IPCRPC009", Contract("Task<int> F(); ValueTask<int> FAsync();"), "'IC.F'", Contract("int F(); ValueTask<int> FAsync();") },
        { "IPCRPC010", Contract("void COLLISION_A(); void COLLISION_B();"), "0x", Contract("void COLLISION_A(); [IpcMethod(\"Other\")] void COLLISION_B();") },
        { "IPCRPC011", Contract("void F(D a);", "[DataContract] public class D { [DataMember] public int X { get; set; } }"), "'D.X'", Contract("void F(M a);") },
        { "IPCRPC012", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public int X { get; set; } [DataMember(Order = 1)] public int Y { get; set; } }"), "'D.Y' has the field number 1 like 'D.X'", Contract("void F(M a);") },
        { "IPCRPC013", Contract("void F(D a);", Numbered(0)), "0;", Contract("void F(D a);", Numbered(1)) },
        { "IPCRPC013", Contract("void F(D a);", Numbered(19000)), "19000", Contract("void F(D a);", Numbered(18999)) },
        { "IPCRPC013", Contract("void F(D a);", Numbered(19999)), "19999", Contract("void F(D a);", Numbered(20000)) },
        { "IPCRPC013", Contract("void F(D a);", Numbered(536870912)), "536870912", Contract("void F(D a);", Numbered(536870911)) },
        { "IPCRPC014", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public int X { get; } }"), "constructor", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public int X { get; } public D(int x) => X = x; }") },
        { "IPCRPC014", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] private int X { get; set; } }"), "'X' cannot be read", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] internal int X { get; set; } }") },
        { "IPCRPC014", Contract("void F(D a);", "[DataContract] public class D { private D() { } }"), "constructor", Contract("void F(D a);", "[DataContract] public class D { internal D() { } }") },
        { "IPCRPC015", Contract("void F(A.D a, B.D b);", "public class A { [DataContract] public class D { } } public class B { [DataContract(Name = \"AD\")] public class D { } }"), "'AD'", Contract("void F(A.D a, B.D b);", "public class A { [DataContract] public class D { } } public class B { [DataContract] public class D { } }") },
        { "IPCRPC015", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public int AB { get; set; } [DataMember(Order = 2)] public int A_B { get; set; } }"), "case or underscores", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public int AB { get; set; } [DataMember(Order = 2, Name = \"c\")] public int A_B { get; set; } }") },
        { "IPCRPC015", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public int Größe { get; set; } }"), "letters, digits", Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1, Name = \"size\")] public int Größe { get; set; } }") },
        { "IPCRPC015", Contract("void F(int a, int b, FRequest c);", "[DataContract] public class FRequest { }"), "'FRequest'", Contract("void F(int a, int b, FQuery c);", "[DataContract] public class FQuery { }") },
        { "IPCRPC015", Contract("void F(C a);", "[DataContract] public class C { }"), "the service", Contract("void F(C a);", "[DataContract(Name = \"Cx\")] public class C { }") },
        { "IPCRPC015", Contract("void F(E a);", "public enum E { Ab, AB }"), "E_AB", Contract("void F(E a);", "public enum E { Ab, Abc }") },
        { "IPCRPC016", Service("interface IC : IDisposable { }"), "'System.IDisposable'", Service("interface IC : IBase { } public interface IBase { void F(); }") },
        { "IPCRPC008", Contract("Task F(IAsyncEnumerable<int>? a);"), "a stream is not null", Contract("Task F(IAsyncEnumerable<int> a);") },
        { "IPCRPC008", Contract("Task F(IAsyncEnumerable<object> a);"), "'object' of IC.F(a)", Contract("Task F(IAsyncEnumerable<int> a);") },
        { "IPCRPC008", Contract("Task F(IProgress<object> a);"), "'object' of IC.F(a)", Contract("Task F(IProgress<int>? a);") },
        { "IPCRPC008", Contract("[IpcFault(typeof(int))] void F();"), "details of an error are messages", Contract("[IpcFault(typeof(M))] void F();") },
        { "IPCRPC009", Contract("[IpcOneWay] void F(); Task FAsync();"), "'IC.F'", Contract("[IpcOneWay] void F(); [IpcOneWay] Task FAsync();") },
        { "IPCRPC009", Contract("Task<int> F(int a); Task<int> FAsync(int a, IProgress<int> b);"), "'IC.F'", Contract("Task<int> F(int a); Task<int> GAsync(int a, IProgress<int> b);") },
        { "IPCRPC017", Contract("Task F(IAsyncEnumerable<int> a, IAsyncEnumerable<int> b);"), "'a' and 'b'", Contract("IAsyncEnumerable<int> F(IAsyncEnumerable<int> a);") },
        { "IPCRPC018", Contract("void F(E a);", "public enum E : long { A }"), "'long'", Contract("void F(E a);", "public enum E : short { A }") },
        { "IPCRPC020", Contract("[IpcMethod(\"a b\")] void F();"), "\"a b\"", Contract("[IpcMethod(\"a_b\")] void F();") },
        { "IPCRPC020", Contract("void Größe();"), "'IC.Größe'", Contract("[IpcMethod(\"Size\")] void Größe();") },
        { "IPCRPC021", Contract("[IpcOneWay] int F();"), "has a result", Contract("[IpcOneWay] void F();") },
        { "IPCRPC021", Contract("[IpcOneWay] Task<int> F();"), "has a result", Contract("[IpcOneWay] Task F();") },
        { "IPCRPC021", Contract("[IpcOneWay] IAsyncEnumerable<int> F();"), "has a result", Contract("IAsyncEnumerable<int> F();") },
        { "IPCRPC021", Contract("[IpcOneWay] Task F(IAsyncEnumerable<int> a);"), "has a stream", Contract("[IpcOneWay] ValueTask F(List<int> a, CancellationToken c);") },
        { "IPCRPC021", Contract("[IpcOneWay] void F(IProgress<int> a);"), "has progress", Contract("[IpcOneWay, IpcInline] void F(int a);") },
        { "IPCRPC022", Contract("Task F(IProgress<int> a, IProgress<int> b);"), "has one already", Contract("Task F(IProgress<int> a);") },
        { "IPCRPC022", Contract("IAsyncEnumerable<int> F(IProgress<int> a);"), "the items of a stream", Contract("ValueTask<int> F(IProgress<int> a, CancellationToken c);") },
        { "IPCRPC022", Contract("Task F(IProgress<int> a, IAsyncEnumerable<int> b);"), "the items of a stream", Contract("Task<M> F(M x, IProgress<M> a);") },
        { "IPCRPC022", Contract("int F(IProgress<int> a);"), "busy waiting", Contract("ValueTask F(string x, IProgress<List<int>> a);") },
        { "IPCRPC023", Contract("int F(IAsyncEnumerable<int> a);"), "'IC.F'", Contract("Task<int> F(IAsyncEnumerable<int> a, CancellationToken c);") },
        { "IPCRPC023", Contract("void F(int x, IAsyncEnumerable<M> a);"), "'a'", Contract("ValueTask F(int x, IAsyncEnumerable<M> a);") },
        { "IPCRPC024", "[IpcService(\"s.v1\", Callback = typeof(IDisposable))] public interface IC { void F(); }", "'System.IDisposable' of 'IC'", "[IpcService(\"s.v1\")] public interface IC { void F(); }" },
        { "IPCRPC024", "[IpcService(\"s.v1\", Callback = typeof(int))] public interface IC { void F(); }", "'int' of 'IC'", "[IpcService(\"s.v1\")] public interface IC { void F(); }" },
        { "IPCRPC026", Contract("[IpcOnce, IpcOneWay] void F();"), "'IC.F' cannot be [IpcOnce]: its caller would never learn", Contract("[IpcOnce] void F();") },
        { "IPCRPC026", Contract("[IpcOnce] IAsyncEnumerable<int> F();"), "a stream is not made again", Contract("[IpcOnce] Task<List<int>> F();") },
        { "IPCRPC026", Contract("[IpcOnce] Task F(IAsyncEnumerable<int> a);"), "a stream is not made again", Contract("[IpcOnce] ValueTask F(int a, CancellationToken c);") },
        { "IPCRPC026", Contract("[IpcOnce] Task F(IProgress<int> a);"), "remove the IProgress, or [IpcOnce]", Contract("[IpcOnce] Task F(M a);") },
        { "IPCRPC026", Contract("[IpcOnce, IpcIdempotent] int F();"), "may be executed twice; remove one of the two", Contract("[IpcOnce, IpcInline] int F();") },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void IsReportedWhereItAppliesAndOnlyThere(string id, string bad, string part, string good)
    {
        CSharpCompilation compilation = Compiler.Compile(WithCollision(bad));
        Diagnostic diagnostic = Assert.Single(Compiler.Analyze(compilation));
        Assert.Equal(id, diagnostic.Id);
        Assert.Contains(part, diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.Matches(Remedy, diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture));
        Assert.True(diagnostic.Location.IsInSource);
        Assert.Empty(Compiler.Generate(compilation, out _));

        compilation = Compiler.Compile(WithCollision(good));
        Assert.Empty(Compiler.Analyze(compilation));
        Assert.Single(Compiler.Generate(compilation, out Compilation output));
        Assert.Empty(Compiler.Complaints(output));
    }

    [Fact]
    public void ACallbackThatIsExecutedOnceIsReportedWhereItIsNamed()
    {
        const string Source = "[IpcService(\"c.v1\")] public interface IB { [IpcOnce] void F(); } [IpcService(\"s.v1\", Callback = typeof(IB))] public interface IC { void F(); }";
        Diagnostic diagnostic = Assert.Single(Compiler.Analyze(Compiler.Compile(Source)));
        Assert.Equal("IPCRPC026", diagnostic.Id);
        Assert.Contains("'IB.F' cannot be [IpcOnce]: 'IC' is called back with it", diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.Empty(Compiler.Analyze(Compiler.Compile(Source.Replace("[IpcOnce] ", string.Empty, StringComparison.Ordinal))));
    }

    [Theory]
    [InlineData("void F(List<int>? a);", "'System.Collections.Generic.List<int>?' at IC.F(a)", "void F(List<int> a, string? b, byte[]? c);")]
    [InlineData("Dictionary<string, int>? F();", "'System.Collections.Generic.Dictionary<string, int>?' at IC.F", "Dictionary<string, int> F();")]
    [InlineData("Task<int[]?> F();", "'int[]?' at IC.F", "Task<int[]> F();")]
    [InlineData("IAsyncEnumerable<string[]?> F();", "'string[]?' at IC.F", "IAsyncEnumerable<string[]> F();")]
    [InlineData("void F(ISet<M>? a);", "ISet<M>?' at IC.F(a)", "void F(ISet<M> a);")]
    [InlineData("void F(System.Collections.Immutable.ImmutableArray<int>? a);", "ImmutableArray<int>?' at IC.F(a)", "void F(System.Collections.Immutable.ImmutableArray<int> a, int? b);")]
    public void ACollectionThatMayBeNullIsRemarkedAndGenerated(string bad, string part, string good)
    {
        CSharpCompilation compilation = Compiler.Compile(Contract(bad));
        Diagnostic diagnostic = Assert.Single(Compiler.Analyze(compilation));
        Assert.Equal(("IPCRPC027", DiagnosticSeverity.Warning), (diagnostic.Id, diagnostic.Severity));
        Assert.Contains(part, diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.True(diagnostic.Location.IsInSource);
        Assert.Single(Compiler.Generate(compilation, out Compilation output));
        Assert.Empty(Compiler.Complaints(output));
        Assert.Empty(Compiler.Analyze(Compiler.Compile(Contract(good))));
    }

    [Fact]
    public void AnOldLanguageIsReported()
    {
        const string Source = "namespace N { [IpcService(\"s.v1\")] public interface IC { void F(); } }";
        Assert.Equal("IPCRPC019", Assert.Single(Compiler.Analyze(Compiler.Compile(Source, LanguageVersion.CSharp7_3))).Id);
        Assert.Empty(Compiler.Generate(Compiler.Compile(Source, LanguageVersion.CSharp7_3), out _));
        Assert.Empty(Compiler.Analyze(Compiler.Compile(Source, LanguageVersion.CSharp8)));
    }

    [Fact]
    public void SeveralProblemsAreReportedTogether()
    {
        IReadOnlyList<Diagnostic> found = Compiler.Analyze(Compiler.Compile(Contract("int P { get; } void F(object a); void G<T>(); ")));
        Assert.Equal(new[] { "IPCRPC004", "IPCRPC008", "IPCRPC005" }, found.Select(static d => d.Id));
    }

    [Fact]
    public void AProblemIsReportedAtTheMemberThatHasIt()
    {
        CSharpCompilation compilation = Compiler.Compile(Contract("void F(D a);", "[DataContract] public class D { [DataMember(Order = 1)] public object Bad { get; set; } }"));
        Diagnostic diagnostic = Assert.Single(Compiler.Analyze(compilation));
        Assert.Equal("Bad", diagnostic.Location.SourceTree!.GetText(TestContext.Current.CancellationToken).ToString(diagnostic.Location.SourceSpan));
    }

    [Fact]
    public void BrokenSourceNeverBreaksTheGenerator()
    {
        // Every prefix of a contract: what somebody's editor sends while it is typed.
        for (int length = 0; length < Contracts.Monitor.Length; length += 5)
        {
            CSharpCompilation compilation = Compiler.Compile(Contracts.Monitor.Substring(0, length));
            Compiler.Generate(compilation, out _);
            Compiler.Analyze(compilation);
        }
    }

    [Fact]
    public void EveryDiagnosticHasATestAndAPageAndAReleaseNote()
    {
        string root = Path.Combine(Here(), "..", "..");
        string notes = File.ReadAllText(Path.Combine(root, "src", "Ipc.Rpc.Generator", "AnalyzerReleases.Unshipped.md")) + File.ReadAllText(Path.Combine(root, "src", "Ipc.Rpc.Generator", "AnalyzerReleases.Shipped.md"));
        HashSet<string> tested = Cases.Select(static row => row.Data.Item1).Append("IPCRPC019").Append("IPCRPC025").Append("IPCRPC027").Append("IPCRPC028").ToHashSet();
        foreach (DiagnosticDescriptor descriptor in new ContractAnalyzer().SupportedDiagnostics)
        {
            Assert.Contains(descriptor.Id, tested);
            Assert.Contains(descriptor.Id + " | ", notes, StringComparison.Ordinal);
            string page = File.ReadAllText(Path.Combine(root, descriptor.HelpLinkUri));
            Assert.StartsWith("# " + descriptor.Id + ": " + descriptor.Title + "\n", page, StringComparison.Ordinal);
            foreach (string section in new[] { "## What", "## Why", "## How to fix", "```csharp" })
                Assert.Contains(section, page, StringComparison.Ordinal);
        }
    }

    /// <summary>What went wrong, a semicolon, and what to do: whoever sees one line of a build log can act on it.</summary>
    internal const string Remedy = "^[^;]+; (add|bring|correct|give|implement|keep|look|make|mark|remove|rename|reserve|return|say|send|set|throw|update|use|write) ";

    [Fact]
    public void EveryTextSaysWhatToDo()
    {
        foreach (DiagnosticDescriptor descriptor in new ContractAnalyzer().SupportedDiagnostics.Concat(new DriftAnalyzer().SupportedDiagnostics).Concat(new Ipc.Analyzers.StatusAnalyzer().SupportedDiagnostics))
        {
            string text = descriptor.MessageFormat.ToString(System.Globalization.CultureInfo.InvariantCulture);
            Assert.Matches("(" + Remedy + "|; \\{[1-3]\\}$)", text); // those with an argument for it are looked at where they are reported
        }
    }

    [Fact]
    public void ThePageIsWhereTheBuildSaysThatThePackageIs()
    {
        CSharpCompilation compilation = Compiler.Compile(Contract("void F(object a);"));
        Assert.Equal("docs/diagnostics/IPCRPC008.md", Assert.Single(Compiler.Analyze(compilation)).Descriptor.HelpLinkUri);
        string folder = Path.GetFullPath(Path.Combine(Here(), "..", "..", "docs", "diagnostics"));
        string link = Assert.Single(Compiler.Analyze(compilation, new BuildProperties(null, folder))).Descriptor.HelpLinkUri;
        Assert.Equal("file", new Uri(link).Scheme);
        Assert.StartsWith("# IPCRPC008", File.ReadAllText(new Uri(link).LocalPath), StringComparison.Ordinal);
    }

    private static string Service(string declaration) => "[IpcService(\"s.v1\")] public " + declaration;

    private static string Contract(string members, string types = "") => Service("interface IC { " + members + " } ") + Message + types;

    private static string Numbered(int number) => "[DataContract] public class D { [DataMember(Order = " + number + ")] public int X { get; set; } }";

    /// <summary>Puts in two names whose ids are equal: found by trying, once.</summary>
    private static string WithCollision(string source)
        => source.Contains("COLLISION", StringComparison.Ordinal)
            ? source.Replace("COLLISION_A", _collision.Value.A, StringComparison.Ordinal).Replace("COLLISION_B", _collision.Value.B, StringComparison.Ordinal)
            : source;

    private static readonly Lazy<(string A, string B)> _collision = new(static () =>
    {
        var seen = new Dictionary<uint, string>();
        for (int i = 0; ; i++)
        {
            string name = "M" + i.ToString(System.Globalization.CultureInfo.InvariantCulture);
            if (!seen.TryAdd(RpcMethod.IdOf("s.v1/" + name), name))
                return (seen[RpcMethod.IdOf("s.v1/" + name)], name);
        }
    });

    private static string Here([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
