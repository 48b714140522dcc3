using System;
using System.Linq;
using Ipc.Rpc.Serializers.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>Orders to send, and whether they arrived.</summary>
internal static class Orders
{
    public static Order Full() => new()
    {
        Number = -7,
        Customer = "Grüße, 世界 🌍",
        Items = [new Item("nut", 3), new Item("bolt", uint.MaxValue)],
        Placed = new DateTime(2024, 2, 29, 12, 34, 56, DateTimeKind.Utc).AddTicks(1234567),
        Patience = TimeSpan.FromTicks(-123456789),
        Id = Shop.IdOf(42),
        Total = -12345.6700m,
        Signature = [0, 1, 255],
        Stock = new() { ["nut"] = 5, ["bolt"] = -6 },
        Codes = [0, 1, -1, int.MaxValue, int.MinValue],
        State = OrderState.Sent,
        Discount = 0,
        Weight = 1e-300,
        Gift = new Item("", 0),
    };

    public static Order Large() => new() { Number = 1, Items = [.. Enumerable.Range(0, 40_000).Select(static i => new Item(new string('x', i % 50), (uint)i))] };

    public static void Same(Order expected, Order actual)
    {
        Assert.Equal(expected.Number, actual.Number);
        Assert.Equal(expected.Customer, actual.Customer);
        Assert.Equal(expected.Items, actual.Items);
        Assert.Equal(expected.Placed, actual.Placed);
        Assert.Equal(expected.Patience, actual.Patience);
        Assert.Equal(expected.Id, actual.Id);
        Assert.Equal(expected.Total, actual.Total);
        Assert.Equal(expected.Signature, actual.Signature);
        Assert.Equal(expected.Stock, actual.Stock);
        Assert.Equal(expected.Codes, actual.Codes);
        Assert.Equal(expected.State, actual.State);
        Assert.Equal(expected.Discount, actual.Discount);
        Assert.Equal(expected.Weight, actual.Weight);
        Assert.Equal(expected.Gift, actual.Gift);
    }
}
