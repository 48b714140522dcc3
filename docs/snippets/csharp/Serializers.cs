using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using MessagePack;
using MessagePack.Formatters;
using MessagePack.Resolvers;
using ProtoBuf;
using ProtoBuf.Meta;

namespace Snippets;

internal static class Serializers
{
    public static Task Run()
    {
        // snippet: choose
        var messagePack = new MessagePackIpcSerializer();
        var protobufNet = new ProtobufNetIpcSerializer();
        using RpcServer server = RpcServer.Start("store", new RpcServerOptions { Serializers = { messagePack, protobufNet } }, [StoreRpc.Service(new Store())]);
        using RpcClient client = RpcClient.Connect("store", new RpcClientOptions { Serializer = messagePack });
        Console.WriteLine(StoreRpc.Client(client).Get("pear").Count); //> 3
        // end-snippet

        using RpcServer plain = RpcServer.Start("plain", StoreRpc.Service(new Store()));

        // snippet: missing
        using RpcClient other = RpcClient.Connect("plain", new RpcClientOptions { Serializer = messagePack });
        try
        {
            StoreRpc.Client(other).Get("pear");
        }
        catch (RpcCallException e)
        {
            Console.WriteLine(e.Status); //> Unimplemented
        }
        // end-snippet

        Subtypes(protobufNet);
        Compiled();
        return Task.CompletedTask;
    }

    private static void Subtypes(ProtobufNetIpcSerializer protobufNet)
    {
        // snippet: by-hand
        MessageCodec<Payment> payment = protobufNet.Codec<Payment>("Payment");
        var pay = new RpcMethod<Payment, Payment>("till.v1", "Pay", RpcMethodKind.Unary, payment, payment);
        var till = new RpcService(pay.Service, [RpcHandler.Unary(pay, (Payment paid, CancellationToken _) => paid)]);

        using RpcServer server = RpcServer.Start("till", till);
        using RpcClient client = RpcClient.Connect("till");
        Console.WriteLine(client.Call(pay, new CardPayment { Cents = 250, Card = "4711" }) is CardPayment { Card: "4711" }); //> True
        // end-snippet

        // snippet: surrogate
        RuntimeTypeModel model = ProtobufNetIpcSerializer.CreateModel();
        model.Add<Version>(false).SetSurrogate(typeof(VersionText));
        MessageCodec<Release> release = new ProtobufNetIpcSerializer(model).Codec<Release>("Release");
        // end-snippet
        byte[] place = new byte[64];
        Console.WriteLine(release.Decode(place.AsSpan(0, release.Encode(new Release { Number = new Version(1, 2) }, place))).Number); //> 1.2
    }

    private static void Compiled()
    {
        // snippet: compiled
        IFormatterResolver compiled = CompositeResolver.Create([new ItemFormatter()], [BuiltinResolver.Instance]);
        var messagePack = new MessagePackIpcSerializer(MessagePackSerializerOptions.Standard
            .WithResolver(compiled)
            .WithSecurity(MessagePackSecurity.UntrustedData));
        // end-snippet
        using RpcServer server = RpcServer.Start("compiled", new RpcServerOptions { Serializers = { messagePack } }, [StoreRpc.Service(new Store())]);
        using RpcClient client = RpcClient.Connect("compiled", new RpcClientOptions { Serializer = messagePack });
        Console.WriteLine(StoreRpc.Client(client).Get("pear").Count); //> 3
    }
}

// snippet: subtypes
[ProtoContract, ProtoInclude(10, typeof(CardPayment))]
public abstract class Payment
{
    [ProtoMember(1)] public int Cents { get; set; }
}

[ProtoContract]
public sealed class CardPayment : Payment
{
    [ProtoMember(1)] public string Card { get; set; } = "";
}
// end-snippet

// snippet: surrogate-types
[ProtoContract]
public sealed class Release
{
    [ProtoMember(1)] public Version? Number { get; set; }
}

[ProtoContract]
public sealed class VersionText
{
    [ProtoMember(1)] public string Text { get; set; } = "";

    public static implicit operator VersionText?(Version? version) => version is null ? null : new() { Text = version.ToString() };

    public static implicit operator Version?(VersionText? text) => text is null ? null : Version.Parse(text.Text);
}
// end-snippet

// snippet: formatter
internal sealed class ItemFormatter : IMessagePackFormatter<Item?>
{
    public void Serialize(ref MessagePackWriter writer, Item? value, MessagePackSerializerOptions options)
    {
        if (value is null)
        {
            writer.WriteNil();
            return;
        }

        writer.WriteArrayHeader(3);
        writer.WriteNil(); // place 0: numbers begin with 1
        writer.Write(value.Sku);
        writer.Write(value.Count);
    }

    public Item? Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options)
    {
        if (reader.TryReadNil())
            return null;

        int count = reader.ReadArrayHeader();
        reader.Skip();
        var item = new Item(reader.ReadString() ?? "", reader.ReadInt32());
        for (int i = 3; i < count; i++)
            reader.Skip(); // what a newer peer sends
        return item;
    }
}
// end-snippet
