using System;
using System.Globalization;

namespace Ipc.Matrix;

/// <summary>The command line.</summary>
internal sealed class Options
{
    public const string Usage = """
        usage: Ipc.Matrix [--quick] [--only PATTERN] [--json FILE] [--docs] [--native FOLDER] [--rounds N] [--scale F]

          --quick         5 shorter rounds per figure instead of 15
          --only PATTERN  figures whose name matches, e.g. 'ring.*' or '*.cs'; the limits and rivals that they need are measured too
          --json FILE     writes the rows to FILE as a list of objects
          --docs          writes the tables of docs/performance.md and README.md from this one run
          --native FOLDER where the programs of bench/native are
        Other verbs: proto (prints the contract's .proto), list; measure and answer are the two processes of a managed figure;
        crew, sender and receiver are those of a figure of many.
        """;

    public string Verb { get; private set; } = "run";

    public string Figure { get; private set; } = "";

    public string Name { get; private set; } = "";

    public Cores? Cores { get; private set; }

    public bool Quick { get; private set; }

    public string Only { get; private set; } = "*";

    public string? Json { get; private set; }

    public bool Docs { get; private set; }

    public string Native { get; private set; } = "build/native/bench/native";

    public int? Rounds { get; private set; }

    public double? Scale { get; private set; }

    /// <exception cref="FormatException">It is not understood.</exception>
    public static Options Parse(string[] arguments)
    {
        Options options = new();
        int next = 0;
        if (arguments.Length > 0 && !arguments[0].StartsWith('-'))
            options.Verb = arguments[next++];
        if (options.Verb is "measure" or "answer" or "crew" or "sender" or "receiver")
            options.Figure = Value("a figure");
        while (next < arguments.Length)
        {
            string option = arguments[next++];
            switch (option)
            {
                case "--quick": options.Quick = true; break;
                case "--only": options.Only = Value("a pattern"); break;
                case "--json": options.Json = Value("a file"); break;
                case "--docs": options.Docs = true; break;
                case "--native": options.Native = Value("a folder"); break;
                case "--name": options.Name = Value("a name"); break;
                case "--cores": options.Cores = Cores.Parse(Value("two cores")); break;
                case "--rounds": options.Rounds = int.Parse(Value("a number"), CultureInfo.InvariantCulture); break;
                case "--scale": options.Scale = double.Parse(Value("a factor"), CultureInfo.InvariantCulture); break;
                default: throw new FormatException($"'{option}' is not understood.");
            }
        }

        return options;

        string Value(string what) => next < arguments.Length ? arguments[next++] : throw new FormatException($"{arguments[^1]} wants {what}.");
    }
}
