using System;
using System.Collections.Generic;
using System.Globalization;
using MessagePack;
using ProtoBuf;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>One of several types: MessagePack-CSharp's users say so at the interface.</summary>
[Union(0, typeof(Cat))]
[Union(1, typeof(Dog))]
public interface IPet
{
    string Name { get; }
}

[MessagePackObject]
public sealed record Cat([property: Key(0)] string Name, [property: Key(1)] int Lives) : IPet;

[MessagePackObject]
public sealed record Dog([property: Key(0)] string Name) : IPet;

/// <summary>No message by itself: a surrogate is written in its place.</summary>
public sealed class Money
{
    public Money(decimal amount, string currency) => (Amount, Currency) = (amount, currency);

    public decimal Amount { get; }

    public string Currency { get; }
}

[ProtoContract]
public sealed class MoneyText
{
    [ProtoMember(1)]
    public string Text { get; set; } = "";

    public static implicit operator MoneyText?(Money? money) => money is null ? null : new() { Text = money.Amount.ToString(CultureInfo.InvariantCulture) + " " + money.Currency };

    public static implicit operator Money?(MoneyText? text)
        => text?.Text.Split(' ') is [string amount, string currency] ? new Money(decimal.Parse(amount, CultureInfo.InvariantCulture), currency) : null;
}

[ProtoContract]
public sealed class Invoice
{
    [ProtoMember(1)]
    public Money? Total { get; set; }

    [ProtoMember(2)]
    public List<Money> Parts { get; set; } = [];
}

/// <summary>Two of its fields can be one object.</summary>
[ProtoContract, MessagePackObject]
public sealed class Link
{
    [ProtoMember(1), Key(0)]
    public string Name { get; set; } = "";

    [ProtoMember(2), Key(1)]
    public Link? Next { get; set; }

    [ProtoMember(3), Key(2)]
    public Link? Other { get; set; }
}

/// <summary>Is told what happens to it, by both.</summary>
[ProtoContract, MessagePackObject]
public sealed class Told : IMessagePackSerializationCallbackReceiver
{
    [ProtoMember(1), Key(0)]
    public int Value { get; set; }

    [IgnoreMember]
    public string Log { get; private set; } = "";

    [ProtoBeforeSerialization]
    public void OnBeforeSerialize() => Value++;

    [ProtoAfterDeserialization]
    public void OnAfterDeserialize() => Log += "read " + Value.ToString(CultureInfo.InvariantCulture);
}

/// <summary>Throws where it is read and where it is written.</summary>
[ProtoContract, MessagePackObject]
public sealed class Throwing
{
    [IgnoreMember] // private ones have to say so, too
    private int _value;

    [ProtoMember(1), Key(0)]
    public int Value
    {
        get => _value == 13 ? throw new InvalidOperationException("not 13") : _value;
        set => _value = value == 7 ? throw new InvalidOperationException("not 7") : value;
    }

    public static Throwing Unwritable() => new() { _value = 13 };

    public static Throwing Unreadable() => new() { _value = 7 };
}

/// <summary>Text that may hold null, which protobuf cannot say.</summary>
[ProtoContract, MessagePackObject]
public sealed class Texts
{
    [ProtoMember(1), Key(0)]
    public List<string?> All { get; set; } = [];
}
