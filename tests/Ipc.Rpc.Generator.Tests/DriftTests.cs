using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>A contract, its checked-in .proto, and a change: which are breaks, where they are reported, and which only make the file out of date.</summary>
public sealed class DriftTests
{
    private const string Before = """
        [IpcService("shop.v1")]
        public interface IShop
        {
            Order Get(string id);
            IAsyncEnumerable<Order> Watch(Order filter, CancellationToken cancel = default);
            Task<int> UploadAsync(string name, IAsyncEnumerable<Order> orders);
            [IpcOneWay] void Forget(Order order);
            Task BuildAsync(string what, IProgress<double> progress);
            void Reset();
            bool Swap(string first, string second, int weight);
        }

        [DataContract, IpcReserved(9)]
        public class Order
        {
            [DataMember(Order = 1)] public string Id { get; set; } = "";
            [DataMember(Order = 2)] public int Count { get; set; }
            [DataMember(Order = 3)] public List<double> Prices { get; set; } = new();
            [DataMember(Order = 4)] public State State { get; set; }
            [DataMember(Order = 6)] public string Remark { get; set; } = "";
        }

        public enum State { New, Sent, Lost }
        """;

    /// <summary>What is replaced by what; the id; what the diagnostic points at; a part of its message.</summary>
    public static TheoryData<string, string, string, string, string> Breaks { get; } = new()
    {
        { "public int Count", "public double Weight", "IPCRPC030", "Weight", "'Order.weight' has the number 2, which 'count' of type int32" },
        { "public int Count", "public long Count", "IPCRPC031", "Count", "int32 in the checked-in .proto and int64 now" },
        { "public int Count", "public List<int> Count", "IPCRPC031", "Count", "repeated int32 now" },
        { "List<double> Prices", "Dictionary<int, double> Prices", "IPCRPC031", "Prices", "map<int32, double> now" },
        { "[DataMember(Order = 2)] ", "", "IPCRPC032", "Order", "'Order.count' with the number 2 is gone" },
        { "[DataMember(Order = 2)] ", "[DataMember(Order = 5)] ", "IPCRPC033", "Count", "the number 2 in the checked-in .proto and 5 now" },
        { "[DataMember(Order = 2)] ", "[DataMember(Order = 9)] public int Fresh { get; set; } [DataMember(Order = 2)] ", "IPCRPC034", "Fresh", "is used by fresh" },
        { ", IpcReserved(9)", "", "IPCRPC034", "Order", "number 9 of 'Order' is reserved" },
        { "void Reset();", "", "IPCRPC035", "IShop", "'Reset'" },
        { "void Reset();", "void Restart();", "IPCRPC035", "IShop", "'Reset'" },
        { "Order Get(string id)", "Order Get(Order id)", "IPCRPC036", "Get", "request of the method 'Get' is GetRequest in the checked-in .proto and Order now" },
        { "Order Get(string id)", "int Get(string id)", "IPCRPC036", "Get", "response of the method 'Get' is Order" },
        { "Order Get(string id)", "void Get(string id)", "IPCRPC036", "Get", "google.protobuf.Empty now" },
        { "IAsyncEnumerable<Order> Watch", "IAsyncEnumerable<string> Watch", "IPCRPC036", "Watch", "item of the method" },
        { "IAsyncEnumerable<Order> orders", "IAsyncEnumerable<string> orders", "IPCRPC036", "UploadAsync", "caller's item" },
        { "string name, IAsync", "IAsync", "IPCRPC036", "UploadAsync", "UploadRequest" },
        { ", IProgress<double> progress", "", "IPCRPC036", "BuildAsync", "progress of the method 'Build' is BuildProgress in the checked-in .proto and nothing now" },
        { "Order Get(string id)", "IAsyncEnumerable<Order> Get(string id)", "IPCRPC037", "Get", "unary in the checked-in .proto and server stream now" },
        { "string name, IAsyncEnumerable<Order> orders", "string name", "IPCRPC037", "UploadAsync", "client stream in" },
        { "Task<int> UploadAsync", "IAsyncEnumerable<int> UploadAsync", "IPCRPC037", "UploadAsync", "duplex now" },
        { "[IpcOneWay] ", "", "IPCRPC037", "Forget", "one-way in" },
        { "void Reset();", "[IpcOneWay] void Reset();", "IPCRPC037", "Reset", "one-way now" },
        { "shop.v1", "shop.v2", "IPCRPC038", "IShop", "\"shop.v1\" in the checked-in .proto and \"shop.v2\" now" },
        { "Sent, Lost", "Sent = 3, Lost = 2", "IPCRPC039", "Sent", "'STATE_SENT' has the number 1 in the checked-in .proto and is 3 now" },
        { "Sent, Lost", "Sent", "IPCRPC039", "State", "is gone, and its number is not reserved" },
        { "public int Count", "public int Amount", "IPCRPC045", "Amount", "'Order.amount' has the number 2, which is called 'count' in the checked-in .proto" },
        { "public int Count", "[IpcRenamed(\"number\")] public int Amount", "IPCRPC045", "Amount", "[IpcRenamed(\"count\")]" },
        { "string id)", "string key)", "IPCRPC045", "key", "'GetRequest.key' has the number 1, which is called 'id'" },
        { "string name, IAsync", "string title, IAsync", "IPCRPC045", "title", "'UploadRequest.title'" },
        { "Sent, Lost", "Sent, Missing", "IPCRPC045", "Missing", "'STATE_MISSING' has the number 2, which is called 'STATE_LOST'" },
        { "string first, string second,", "string third, string second,", "IPCRPC045", "third", "'SwapRequest.third' has the number 1, which is called 'first'" },
    };

    public static TheoryData<string, string> CompatibleChanges { get; } = new()
    {
        { "public int Count", "[IpcRenamed(\"count\")] public int Amount" },
        { "public int Count", "[IpcRenamed(\"older\"), IpcRenamed(\"Count\")] public int Amount" }, // as C# had it
        { "public int Count", "public int? Count" },
        { "string id)", "[IpcRenamed(\"id\")] string key)" },
        { "string first, string second,", "[IpcRenamed(\"first\")] string second, [IpcRenamed(\"second\")] string first," }, // says that the names changed, not the places
        { "[DataMember(Order = 2)] ", "[DataMember(Order = 7)] public Extra? More { get; set; } [DataMember(Order = 2)] " },
        { "[DataContract, IpcReserved(9)]", "[DataContract, IpcReserved(9, 10)]" },
        { "void Reset();", "void Reset(); Extra Newer(int a, int b);" },
        { "void Reset();", "void Reset(bool hard);" },
        { "void Reset();", "bool Reset();" },
        { "void Reset();", "Task ResetAsync(IProgress<int> progress);" },
        { "Sent, Lost", "Sent, Lost, Found" },
        { "Sent, Lost", "Sent, [IpcRenamed(\"Lost\")] Missing" },
        { "Sent, Lost", "Sent, Lost, Missing = 2" },
        { "[DataContract, IpcReserved(9)]", "[DataContract, IpcReserved(9, 2)]|[DataMember(Order = 2)] " },
        { "public enum State { New, Sent, Lost }", "[IpcReserved(2)] public enum State { New, Sent }" },
    };

    [Fact]
    public void AContractThatIsItsManifestHasNothingToReport()
    {
        CSharpCompilation compilation = Compile(Before);
        string proto = Compiler.Proto(compilation);
        Assert.Empty(Compiler.Drift(compilation, null, ("shop.proto", proto)));
        Assert.Empty(Compiler.Drift(compilation, null, ("other.proto", proto.ReplaceLineEndings("\r\n"))));
    }

    /// <summary>Within a service protoc takes the name for the method: "Order" is not a message type.</summary>
    [Fact]
    public void AMessageThatIsNamedLikeAMethodIsNamedWithItsPackage()
    {
        CSharpCompilation compilation = Compile("""
            [IpcService("shop.v1")]
            public interface IShop
            {
                Task<Order> OrderAsync(Order order);
                IAsyncEnumerable<Order> All(IAsyncEnumerable<Order> some);
            }

            [DataContract]
            public record Order([property: DataMember(Order = 1)] int Number);
            """);
        string proto = Compiler.Proto(compilation);
        Assert.Contains("rpc Order (.shop.v1.Order) returns (.shop.v1.Order);", proto, StringComparison.Ordinal);
        Assert.Contains("rpc All (stream .shop.v1.Order) returns (stream .shop.v1.Order);", proto, StringComparison.Ordinal);
        Assert.Empty(Compiler.Drift(compilation, null, ("shop.proto", proto)));
    }

    [Theory]
    [MemberData(nameof(Breaks))]
    public void ABreakIsAnErrorWhereItWasMade(string from, string to, string id, string site, string part)
    {
        string manifest = Compiler.Proto(Compile(Before));
        CSharpCompilation after = Compile(Changed(from, to));
        foreach (string? update in new[] { null, "true" }) // updating does not excuse it
        {
            Diagnostic diagnostic = Assert.Single(Compiler.Drift(after, update, ("shop.proto", manifest)));
            Assert.Equal(id, diagnostic.Id);
            Assert.Equal(DiagnosticSeverity.Error, diagnostic.Severity);
            Assert.Contains(part, diagnostic.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
            Assert.Matches(DiagnosticTests.Remedy, diagnostic.GetMessage(CultureInfo.InvariantCulture));
            Assert.Equal(site, diagnostic.Location.SourceTree!.ToString().Substring(diagnostic.Location.SourceSpan.Start, diagnostic.Location.SourceSpan.Length));
        }

        Assert.Empty(Compiler.Drift(after, "breaking", ("shop.proto", manifest)));
    }

    /// <summary>Two of one type that have changed places: peers built before read one as the other, and nothing but the names shows it.</summary>
    [Theory]
    [InlineData("string first, string second,", "string second, string first,", "first 1 2;second 2 1")]
    [InlineData("string first, string second, int weight", "string zeroth, string first, int weight", "first 1 2;first second")]
    [InlineData("[DataMember(Order = 1)] public string Id { get; set; } = \"\";", "[DataMember(Order = 1)] public string Remark { get; set; } = \"\"; [DataMember(Order = 6)] public string Id { get; set; } = \"\";|[DataMember(Order = 6)] public string Remark { get; set; } = \"\";\n", "id 1 6;remark 6 1")]
    public void TwoOfOneTypeThatHaveChangedPlacesAreABreak(string from, string to, string expected)
    {
        string manifest = Compiler.Proto(Compile(Before));
        string[] parts = to.Split('|');
        string source = parts.Length == 1 ? Before : Before.Replace(parts[1].TrimEnd('\n'), "", StringComparison.Ordinal);
        CSharpCompilation after = Compile(source.Replace(from, parts[0], StringComparison.Ordinal));
        foreach (string? update in new[] { null, "true" })
        {
            IReadOnlyList<Diagnostic> found = Compiler.Drift(after, update, ("shop.proto", manifest));
            Assert.Equal(2, found.Count);
            foreach (string name in expected.Split(';'))
            {
                string[] words = name.Split(' ');
                Assert.Contains(found, d => d.Severity == DiagnosticSeverity.Error && d.GetMessage(CultureInfo.InvariantCulture) is var message && (words.Length == 3
                    ? d.Id == "IPCRPC033" && message.Contains("." + words[0] + "' has the number " + words[1] + " in the checked-in .proto and " + words[2] + " now", StringComparison.Ordinal)
                    : d.Id is "IPCRPC045" && message.Contains("." + words[0] + "'", StringComparison.Ordinal) && message.Contains("'" + words[1] + "'", StringComparison.Ordinal)));
            }
        }

        Assert.Empty(Compiler.Drift(after, "breaking", ("shop.proto", manifest)));
    }

    [Theory]
    [MemberData(nameof(CompatibleChanges))]
    public void ACompatibleChangeMakesTheManifestOutOfDate(string from, string to)
    {
        string manifest = Compiler.Proto(Compile(Before));
        CSharpCompilation after = Compile(Changed(from, to));
        Diagnostic diagnostic = Assert.Single(Compiler.Drift(after, null, ("dir/shop.proto", manifest)));
        Assert.Equal("IPCRPC040", diagnostic.Id);
        Assert.Equal(DiagnosticSeverity.Warning, diagnostic.Severity);
        Assert.Equal("dir/shop.proto", diagnostic.Properties[DriftAnalyzer.PathProperty]);
        Assert.Equal(Compiler.Proto(after), diagnostic.Properties[DriftAnalyzer.TextProperty]);

        Assert.Empty(Compiler.Drift(after, "true", ("dir/shop.proto", manifest)));
        Assert.Empty(Compiler.Drift(after, null, ("dir/shop.proto", Compiler.Proto(after))));
    }

    /// <summary>Whoever was built before offers the old one, or calls it.</summary>
    [Theory]
    [InlineData(", Callback = typeof(IOther)", "'events.v1' in the checked-in .proto and other.v1 now")]
    [InlineData("", "'events.v1' in the checked-in .proto and nothing now")]
    public void AnotherCallbackIsABreak(string callback, string part)
    {
        string manifest = Compiler.Proto(Calling(", Callback = typeof(IEvents)"), "ShopRpc");
        Diagnostic diagnostic = Assert.Single(OfShop(Calling(callback), manifest));
        Assert.Equal(("IPCRPC044", DiagnosticSeverity.Error), (diagnostic.Id, diagnostic.Severity));
        Assert.Contains(part, diagnostic.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.Equal("IShop", diagnostic.Location.SourceTree!.ToString().Substring(diagnostic.Location.SourceSpan.Start, diagnostic.Location.SourceSpan.Length));
    }

    [Fact]
    public void ACallbackMoreIsNone()
    {
        string manifest = Compiler.Proto(Calling(""), "ShopRpc");
        Assert.Equal("IPCRPC040", Assert.Single(OfShop(Calling(", Callback = typeof(IEvents)"), manifest)).Id);
    }

    private static CSharpCompilation Calling(string callback) => Compile($$"""
        [IpcService("shop.v1"{{callback}})]
        public interface IShop
        {
            void Reset();
        }

        [IpcService("events.v1")]
        public interface IEvents
        {
            void Happened();
        }

        [IpcService("other.v1")]
        public interface IOther
        {
            void Happened();
        }
        """);

    /// <summary>What is reported of the shop; the other contracts have no manifest.</summary>
    private static IEnumerable<Diagnostic> OfShop(CSharpCompilation after, string manifest)
        => Compiler.Drift(after, null, ("shop.proto", manifest)).Where(static d => d.Id != "IPCRPC042");

    [Fact]
    public void WhatTheOldManifestReservesByHandMustBeReservedInTheContract()
    {
        string manifest = Compiler.Proto(Compile(Before)).Replace("reserved 9;", "reserved 9, 20 to 22; reserved \"old\";", StringComparison.Ordinal);
        Diagnostic diagnostic = Assert.Single(Compiler.Drift(Compile(Before), null, ("shop.proto", manifest)));
        Assert.Equal("IPCRPC034", diagnostic.Id);
        Assert.Contains("20 to 22", diagnostic.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.Equal("IPCRPC040", Assert.Single(Compiler.Drift(Compile(Changed("IpcReserved(9)", "IpcReserved(9, 20, 21, 22)")), null, ("shop.proto", manifest))).Id);
    }

    [Fact]
    public void AContractWithoutAManifestIsTold()
    {
        Diagnostic diagnostic = Assert.Single(Compiler.Drift(Compile(Before), null, ("unrelated.proto", "syntax = \"proto3\"; package other;")));
        Assert.Equal("IPCRPC042", diagnostic.Id);
        Assert.Equal(DiagnosticSeverity.Info, diagnostic.Severity);
        Assert.Equal("shop.v1.proto", diagnostic.Properties[DriftAnalyzer.PathProperty]);
        Assert.Empty(Compiler.Drift(Compile(Before), "true"));
    }

    [Fact]
    public void AManifestWithoutAContractIsTold()
    {
        string manifest = Compiler.Proto(Compile(Before));
        Diagnostic diagnostic = Assert.Single(Compiler.Drift(Compile("class Nothing { }"), null, ("shop.proto", manifest)));
        Assert.Equal("IPCRPC043", diagnostic.Id);
        Assert.Contains("'IShop'", diagnostic.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.Equal("shop.proto", diagnostic.Location.GetLineSpan().Path);

        // A contract that does not compile still has its file.
        Assert.Empty(Compiler.Drift(Compile("[IpcService(\"shop.v1\")] public interface IShop { void F(object a); }"), null, ("shop.proto", manifest)));
    }

    [Theory]
    [InlineData("message Order {", "message {", "'{' expected")]
    [InlineData("int32 count = 2;", "int32 count = two;", "a number expected, 'two' found")]
    [InlineData("int32 count = 2;", "int32 count = 2", "';' expected, 'repeated' found")]
    [InlineData("rpc Get", "call Get", "'rpc' expected")]
    [InlineData("enum State {", "enumeration State {", "'enumeration' is not a declaration")]
    public void AManifestThatCannotBeReadIsTold(string from, string to, string part)
    {
        string manifest = Compiler.Proto(Compile(Before));
        Assert.Contains(from, manifest, StringComparison.Ordinal);
        IReadOnlyList<Diagnostic> found = Compiler.Drift(Compile(Before), null, ("shop.proto", manifest.Replace(from, to, StringComparison.Ordinal)));
        Diagnostic diagnostic = Assert.Single(found, static d => d.Id == "IPCRPC041");
        Assert.Contains("line ", diagnostic.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.Contains(part, diagnostic.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Fact]
    public void EveryPrefixOfAManifestIsReadOrRefused()
    {
        string manifest = Compiler.Proto(Compile(Before));
        int read = 0;
        for (int length = 0; length <= manifest.Length; length++)
        {
            try
            {
                ProtoFileParser.Parse(manifest.Substring(0, length));
                read++;
            }
            catch (FormatException)
            {
            }
        }

        Assert.InRange(read, 1, manifest.Length - 1);
    }

    [Fact]
    public void WhatAPersonMayWriteIntoAManifestIsRead()
    {
        ProtoFile file = ProtoFileParser.Parse("""
            /* a comment
               of two lines */ syntax = 'proto3'; package a.b; option java_package = "x;y"; import public "z.proto";
            message M {
              reserved 1 to 3, 7; reserved 100 to max; reserved "a", "b";
              oneof choice { string s = 4 [deprecated = true]; .a.b.M m = 5; }
              message Inner { sint32 x = 1; }
              map<string, Inner> inner = 6 [(custom).option = { a: 1; b: 2 }];
              optional int32 o = 0x10;
            }
            enum E { option allow_alias = true; A = 0; B = -1; C = -1; reserved -5 to -3; }
            service S {
              option deprecated = true;
              rpc F (stream M) returns (stream .a.b.M) { option idempotency_level = 1; } // ipc: request R, progress P
              rpc G (M) returns (M); // ipc: one-way
            }
            """);
        Assert.Equal("a.b", file.Package);
        ProtoBlock m = file.Messages["M"];
        Assert.Equal(["4 s string", "5 m .a.b.M", "6 inner map<string, Inner>", "16 o int32"], m.Entries.Select(static e => e.Number + " " + e.Name + " " + e.Type));
        Assert.Equal([false, true, true, false, true, true], new[] { 0, 1, 3, 4, 7, 536870911 }.Select(m.IsReserved));
        Assert.Equal("sint32", file.Messages["M.Inner"].Named("x")!.Type);
        Assert.Equal(-1, file.Enums["E"].Named("C")!.Number);
        Assert.True(file.Enums["E"].IsReserved(-4));
        Assert.Equal(("duplex", "R", "M", "M", "P"), (file.Methods["F"].Kind, file.Methods["F"].Request, file.Methods["F"].Input, file.Methods["F"].Output, file.Methods["F"].Progress));
        Assert.Equal("one-way", file.Methods["G"].Kind);
    }

    [Fact]
    public void EveryDiagnosticHasATestAndAPageAndAReleaseNote()
    {
        string root = Path.Combine(Here(), "..", "..");
        string notes = File.ReadAllText(Path.Combine(root, "src", "Ipc.Rpc.Generator", "AnalyzerReleases.Unshipped.md")) + File.ReadAllText(Path.Combine(root, "src", "Ipc.Rpc.Generator", "AnalyzerReleases.Shipped.md"));
        HashSet<string> tested = Breaks.Select(static row => row.Data.Item3).Concat(["IPCRPC040", "IPCRPC041", "IPCRPC042", "IPCRPC043", "IPCRPC044"]).ToHashSet();
        foreach (DiagnosticDescriptor descriptor in new DriftAnalyzer().SupportedDiagnostics)
        {
            Assert.Contains(descriptor.Id, tested);
            Assert.Contains(descriptor.Id + " | ", notes, StringComparison.Ordinal);
            string page = File.ReadAllText(Path.Combine(root, descriptor.HelpLinkUri));
            Assert.StartsWith("# " + descriptor.Id + ": " + descriptor.Title + "\n", page, StringComparison.Ordinal);
            foreach (string section in new[] { "## What", "## Why", "## How to fix" })
                Assert.Contains(section, page, StringComparison.Ordinal);
        }
    }

    private static CSharpCompilation Compile(string source)
        => Compiler.Compile(source + "\n[DataContract] public class Extra { [DataMember(Order = 1)] public int A { get; set; } }");

    /// <summary>The contract with a change; after a bar stands a second one, a text that goes.</summary>
    private static string Changed(string from, string to)
    {
        string[] parts = to.Split('|');
        Assert.Contains(from, Before, StringComparison.Ordinal);
        string changed = Before.Replace(from, parts[0], StringComparison.Ordinal);
        return parts.Length == 1 ? changed : changed.Replace(parts[1], "", StringComparison.Ordinal);
    }

    private static string Here([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
