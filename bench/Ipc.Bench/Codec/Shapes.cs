using System;
using System.Globalization;
using System.Linq;

namespace Ipc.Bench.Codec;

/// <summary>The shapes by name, with contents that are the same in every run.</summary>
public static class Shapes
{
    public const string Small = "small";
    public const string Table = "table";
    public const string Packed = "packed";

    private const int Seed = 20_240;

    public static Shape Create(string name) => name switch
    {
        Small => new Shape<Trade, Google.Trade>(CodecShapesRpc.SendTrade.Request, Google.Trade.Parser, NewTrade()),
        Table => new Shape<TextTable, Google.TextTable>(CodecShapesRpc.SendTable.Request, Google.TextTable.Parser, NewTable(1_000, 10)),
        Packed => new Shape<Recording, Google.Recording>(CodecShapesRpc.SendRecording.Request, Google.Recording.Parser, NewRecording()),
        _ => throw new ArgumentException($"There is no shape {name}.", nameof(name)),
    };

    /// <summary>Short text as it is in such tables: numbers, states, names of 1 to 12 characters.</summary>
    public static TextTable NewTable(int rows, int fields)
    {
        Random random = new(Seed);
        string[] states = ["ok", "busy", "waiting", "unreachable"];
        return new TextTable
        {
            Fields = Enumerable.Range(0, fields).Select(static field => "field" + Text(field)).ToList(),
            Rows = Enumerable.Range(0, rows).Select(row => new TextRow
            {
                Id = "node-" + Text(row),
                Values = Enumerable.Range(0, fields).Select(field => field % 3 == 0 ? states[random.Next(states.Length)] : Text(random.Next(1 << random.Next(30)))).ToList(),
            }).ToList(),
        };
    }

    private static Trade NewTrade() => new()
    {
        Id = 1_234_567_890_123,
        Symbol = "ESH6",
        Price = 4875.25,
        Quantity = 150,
        Account = "ACC-00417",
        IsSell = true,
    };

    private static Recording NewRecording()
    {
        Random random = new(Seed);
        return new Recording
        {
            Begin = 1_700_000_000_000,
            Channels = Enumerable.Range(0, 16).Select(channel => new Channel
            {
                Name = "channel " + Text(channel),
                Scale = new Scale { Factor = random.NextDouble(), Unit = "mV" },
                Counts = Enumerable.Range(0, 100).Select(_ => random.Next(1 << random.Next(1, 20))).ToList(),
                Values = Enumerable.Range(0, 100).Select(_ => random.NextDouble()).ToList(),
            }).ToList(),
        };
    }

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);
}
