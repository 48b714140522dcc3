using System;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>Contracts and messages that were made for something else.</summary>
public sealed class ForeignContractTests
{
    /// <summary>The head of what protoc writes for a file shop/items.proto with the package "shop.items": the message is declared here in short.</summary>
    private const string Google = """
        namespace Shop
        {
            using pb = global::Google.Protobuf;
            using pbr = global::Google.Protobuf.Reflection;

            public static partial class ItemsReflection
            {
                static readonly byte[] descriptorData = global::System.Convert.FromBase64String(string.Concat("BASE64"));
            }

            public sealed class Item : pb::IMessage<Item>
            {
                public pbr::MessageDescriptor Descriptor => throw new NotSupportedException();
                public int CalculateSize() => 0;
                public void WriteTo(pb::CodedOutputStream output) { }
                public void MergeFrom(pb::CodedInputStream input) { }
                public void MergeFrom(Item other) { }
                public bool Equals(Item? other) => ReferenceEquals(this, other);
                public Item Clone() => this;
                public static class Types
                {
                    public sealed class Part : pb::IMessage<Part>
                    {
                        public pbr::MessageDescriptor Descriptor => throw new NotSupportedException();
                        public int CalculateSize() => 0;
                        public void WriteTo(pb::CodedOutputStream output) { }
                        public void MergeFrom(pb::CodedInputStream input) { }
                        public void MergeFrom(Part other) { }
                        public bool Equals(Part? other) => ReferenceEquals(this, other);
                        public Part Clone() => this;
                    }
                }
            }

            [IpcService("shop.v1")]
            public interface IShop
            {
                Item Get(Item query);
                Task<Item?> FindAsync(string id);
                Item.Types.Part Part(int a, List<Item> b);
                IAsyncEnumerable<Google.Protobuf.WellKnownTypes.StringValue> Names(IAsyncEnumerable<Item> items);
            }
        }
        """;

    [Fact]
    public void MessagesThatProtocWroteKeepTheirNamesAndFile()
    {
        byte[] head = [0x0a, 16, .. "shop/items.proto"u8, 0x12, 10, .. "shop.items"u8];
        string proto = Proto(Google.Replace("BASE64", Convert.ToBase64String(head), StringComparison.Ordinal));
        Assert.Contains("import \"shop/items.proto\";", proto, StringComparison.Ordinal);
        Assert.Contains("import \"google/protobuf/wrappers.proto\";", proto, StringComparison.Ordinal);
        Assert.Contains("rpc Get (.shop.items.Item) returns (.shop.items.Item);", proto, StringComparison.Ordinal);
        Assert.Contains("message FindResponse {\n  .shop.items.Item result = 1;\n}", proto, StringComparison.Ordinal);
        Assert.Contains("rpc Part (PartRequest) returns (.shop.items.Item.Part);", proto, StringComparison.Ordinal);
        Assert.Contains("  repeated .shop.items.Item b = 2;", proto, StringComparison.Ordinal);
        Assert.Contains("rpc Names (stream .shop.items.Item) returns (stream .google.protobuf.StringValue);", proto, StringComparison.Ordinal);
        Assert.DoesNotContain("message Item", proto, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("no base64!")]
    [InlineData("Cv8=")]
    public void AMessageWhoseFileIsNotKnownIsNamedByItsClass(string base64)
    {
        string proto = Proto(Google.Replace("BASE64", base64, StringComparison.Ordinal));
        Assert.DoesNotContain("items.proto", proto, StringComparison.Ordinal);
        Assert.Contains("rpc Get (.shop.Item) returns (.shop.Item);", proto, StringComparison.Ordinal);
        Assert.Contains("// The file of .shop.Item, a message of another assembly, is to be imported here", proto, StringComparison.Ordinal);
    }

    [Fact]
    public void TheProtoOfForeignAttributesSaysWhatTheyMean()
    {
        Compiler.Generate(Compiler.Compile(Contracts.Foreign), out Compilation output);
        string Constant(string type, string name) => (string)((IFieldSymbol)output.GetTypeByMetadataName("Foreign." + type)!.GetMembers(name).Single()).ConstantValue!;

        Assert.Equal("greeter.v1", Constant("GreeterRpc", "ServiceName"));
        Assert.Equal("orders.v1", Constant("OrdersRpc", "ServiceName"));
        Assert.Equal("Foreign.OrderEvents", Constant("OrderEventsRpc", "ServiceName"));
        Assert.Equal("both.v1", Constant("BothRpc", "ServiceName"));

        string greeter = Constant("GreeterRpc", "Proto");
        Assert.Contains("rpc Hello (Salutation) returns (Salutation);", greeter, StringComparison.Ordinal);
        Assert.Contains("message Salutation {\n  reserved 3, 5, 6, 7;\n  string text = 1;\n  int32 how_often = 2;\n}", greeter, StringComparison.Ordinal);
        string orders = Constant("OrdersRpc", "Proto");
        Assert.Contains("rpc Put (PutRequest) returns (PutResponse);", orders, StringComparison.Ordinal);
        Assert.Contains("rpc Cancel (CancelRequest) returns (google.protobuf.Empty); // ipc: one-way", orders, StringComparison.Ordinal);
        Assert.Contains("// ipc: callback Foreign.OrderEvents", orders, StringComparison.Ordinal);
        Assert.Contains("message Salutation", orders, StringComparison.Ordinal); // the fault's
    }

    /// <summary>The attributes of protobuf-net and MessagePack-CSharp that change what those write, by their full names.</summary>
    private const string Serializers = """
        namespace ProtoBuf
        {
            public class ProtoContractAttribute : Attribute { public int ImplicitFields { get; set; } public int DataMemberOffset { get; set; } public Type? Surrogate { get; set; } }
            public class ProtoMemberAttribute : Attribute { public ProtoMemberAttribute(int tag) { } }
            public class ProtoIncludeAttribute : Attribute { public ProtoIncludeAttribute(int tag, Type known) { } }
            public class ProtoPartialMemberAttribute : Attribute { public ProtoPartialMemberAttribute(int tag, string member) { } }
            public class ProtoAfterDeserializationAttribute : Attribute { }
            public enum CompatibilityLevel { NotSpecified = 0, Level200 = 200, Level240 = 240, Level300 = 300 }
            public class CompatibilityLevelAttribute : Attribute { public CompatibilityLevelAttribute(CompatibilityLevel level) { } }
        }

        namespace MessagePack
        {
            public class MessagePackObjectAttribute : Attribute { public MessagePackObjectAttribute(bool keyAsPropertyName = false) { } }
            public class KeyAttribute : Attribute { public KeyAttribute(int x) { } public KeyAttribute(string x) { } }
            public class UnionAttribute : Attribute { public UnionAttribute(int key, Type type) { } }
            public class MessagePackFormatterAttribute : Attribute { public MessagePackFormatterAttribute(Type type) { } }
            public interface IMessagePackSerializationCallbackReceiver { void OnBeforeSerialize(); void OnAfterDeserialize(); }
        }

        namespace Shop
        {
            using ProtoBuf;
            using MessagePack;

            TYPE

            [IpcService("shop.v1")]
            public interface IShop { Item Get(Item query); }
        }
        """;

    [Fact]
    public void KeysOfMessagePackAreNumbersFrom1On()
    {
        string proto = Proto(With("[MessagePackObject] public sealed record Item([property: Key(0)] string Name, [property: Key(2)] int Count) { public int Twice => 2 * Count; }"));
        Assert.Contains("message Item {\n  string name = 1;\n  int32 count = 3;\n}", proto, StringComparison.Ordinal);
    }

    [Fact]
    public void WithBothTheNumbersOfProtobufCount()
    {
        string proto = Proto(With("[ProtoContract, MessagePackObject] public class Item { [ProtoMember(4), Key(0)] public string Name { get; set; } = \"\"; [ProtoMember(2), Key(1)] public int Count { get; set; } }"));
        Assert.Contains("message Item {\n  int32 count = 2;\n  string name = 4;\n}", proto, StringComparison.Ordinal);
    }

    /// <summary>What would be written otherwise than the annotations say is refused where it is seen.</summary>
    [Theory]
    [InlineData("[ProtoContract(ImplicitFields = 1)] public class Item { }", "IPCRPC008", "no numbers of their own")]
    [InlineData("[ProtoContract(DataMemberOffset = 1)] public class Item { [DataMember(Order = 1)] public int A { get; set; } }", "IPCRPC008", "DataMemberOffset")]
    [InlineData("[ProtoContract(Surrogate = typeof(string))] public class Item { }", "IPCRPC008", "another type is written in its place")]
    [InlineData("[ProtoContract, ProtoPartialMember(1, \"A\")] public class Item { public int A { get; set; } }", "IPCRPC008", "ProtoPartialMember")]
    [InlineData("[ProtoContract, ProtoInclude(5, typeof(Part))] public class Item { } public class Part : Item { }", "IPCRPC008", "IpcSerializer.Codec")]
    [InlineData("[MessagePackObject, Union(0, typeof(Part))] public abstract class Item { } public class Part : Item { }", "IPCRPC008", "[Union]")]
    [InlineData("[MessagePackObject, MessagePackFormatter(typeof(string))] public class Item { }", "IPCRPC008", "a formatter of its own")]
    [InlineData("[MessagePackObject(true)] public class Item { public int A { get; set; } }", "IPCRPC008", "names and no numbers")]
    [InlineData("[MessagePackObject] public class Item { [Key(\"a\")] public int A { get; set; } }", "IPCRPC011", "'Shop.Item.A'")]
    [InlineData("[ProtoContract, CompatibilityLevel(CompatibilityLevel.Level200)] public class Item { [ProtoMember(1)] public List<DateTime> A { get; set; } = new(); }", "IPCRPC008", "Level300")]
    [InlineData("[ProtoContract, CompatibilityLevel(CompatibilityLevel.Level240)] public class Item { [ProtoMember(1)] public Guid? A { get; set; } }", "IPCRPC008", "Level300")]
    public void WhatTheirSerializersWouldWriteOtherwiseIsRefused(string type, string id, string part)
    {
        CSharpCompilation compilation = Compiler.Compile(With(type));
        Diagnostic diagnostic = Assert.Single(Compiler.Analyze(compilation));
        Assert.Equal(id, diagnostic.Id);
        string text = diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture);
        Assert.Contains(part, text, StringComparison.Ordinal);
        Assert.Matches(DiagnosticTests.Remedy, text);
        Assert.Empty(Compiler.Generate(compilation, out _));
    }

    [Theory]
    [InlineData("[ProtoContract, CompatibilityLevel(CompatibilityLevel.Level300)] public class Item { [ProtoMember(1)] public DateTime A { get; set; } }")]
    [InlineData("[ProtoContract, CompatibilityLevel(CompatibilityLevel.Level200)] public class Item { [ProtoMember(1)] public int A { get; set; } }")]
    public void WhatTheyWriteAlikeIsTaken(string type) => Proto(With(type));

    [Theory]
    [InlineData("[ProtoContract] public class Item { [ProtoMember(1)] public int A { get; set; } [ProtoAfterDeserialization] public void Fill() { } }", "'Shop.Item.Fill()'")]
    [InlineData("[DataContract] public class Item { [DataMember(Order = 1)] public int A { get; set; } [OnDeserialized] public void Fill(StreamingContext context) { } }", "Fill")]
    [InlineData("[MessagePackObject] public class Item : IMessagePackSerializationCallbackReceiver { [Key(0)] public int A { get; set; } public void OnBeforeSerialize() { } public void OnAfterDeserialize() { } }", "'Shop.Item'")]
    public void ACallbackThatIsNotCalledIsTold(string type, string part)
    {
        CSharpCompilation compilation = Compiler.Compile(With(type));
        Diagnostic diagnostic = Assert.Single(Compiler.Analyze(compilation));
        Assert.Equal(("IPCRPC025", DiagnosticSeverity.Warning), (diagnostic.Id, diagnostic.Severity));
        Assert.Contains(part, diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.True(diagnostic.Location.IsInSource);
        Assert.Single(Compiler.Generate(compilation, out _));
    }

    private static string With(string type) => Serializers.Replace("TYPE", type, StringComparison.Ordinal);

    private static string Proto(string source)
    {
        CSharpCompilation compilation = Compiler.Compile(source);
        Assert.Empty(Compiler.Analyze(compilation));
        Assert.Single(Compiler.Generate(compilation, out Compilation output));
        Assert.Empty(Compiler.Complaints(output));
        return (string)((IFieldSymbol)output.GetTypeByMetadataName("Shop.ShopRpc")!.GetMembers("Proto").Single()).ConstantValue!;
    }
}
