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

    private static string Proto(string source)
    {
        CSharpCompilation compilation = Compiler.Compile(source);
        Assert.Empty(Compiler.Analyze(compilation));
        Assert.Single(Compiler.Generate(compilation, out Compilation output));
        Assert.Empty(Compiler.Complaints(output));
        return (string)((IFieldSymbol)output.GetTypeByMetadataName("Shop.ShopRpc")!.GetMembers("Proto").Single()).ConstantValue!;
    }
}
