using System;

namespace Ipc.Matrix.Cells;

/// <summary>The command line.</summary>
internal sealed class Options
{
    public const string Usage = """
        usage: bench/matrix.sh [--quick | --full] [--only 'PATTERN'] [--json FILE] [--csv FILE] [--docs] [--list]
                               [--from FILE] [--out FOLDER] [--plan ROUNDS,MS,MS]

          --quick         the cells of docs/performance-matrix.md, 5 rounds each (default)
          --full          every cell that makes sense, 15 rounds each
          --only PATTERN  cells whose name matches, e.g. 'ring/*' or '*/request/1/*'; several with commas between
          --json FILE     the run as it is
          --csv FILE      one line a cell
          --docs          writes the page, the advice, the charts and their data from this run, or from --from's
          --list          the cells, and what each rule leaves out; measures nothing
          --from FILE     measures nothing: takes a run that --json has written
          --out FOLDER    where --docs writes instead of docs
          --plan R,MS,MS  rounds, their length and the warm-up, for tests
        """;

    public string Verb { get; private set; } = "run";

    public string Cell { get; private set; } = "";

    public string Name { get; private set; } = "";

    public Cores? Cores { get; private set; }

    public bool Quick { get; private set; } = true;

    public string Only { get; private set; } = "*";

    public string? Json { get; private set; }

    public string? Csv { get; private set; }

    public bool Docs { get; private set; }

    public bool List { get; private set; }

    public bool Help { get; private set; }

    public string? From { get; private set; }

    public string Out { get; private set; } = "docs";

    public Plan? Plan { get; private set; }

    /// <exception cref="FormatException">It is not understood.</exception>
    public static Options Parse(string[] arguments)
    {
        Options options = new();
        int next = 0;
        if (arguments.Length > 0 && !arguments[0].StartsWith('-'))
        {
            options.Verb = arguments[next++];
            options.Cell = Value("a cell");
        }

        while (next < arguments.Length)
        {
            string option = arguments[next++];
            switch (option)
            {
                case "--quick": options.Quick = true; break;
                case "--full": options.Quick = false; break;
                case "--only": options.Only = Value("a pattern"); break;
                case "--json": options.Json = Value("a file"); break;
                case "--csv": options.Csv = Value("a file"); break;
                case "--docs": options.Docs = true; break;
                case "--list": options.List = true; break;
                case "--from": options.From = Value("a file"); break;
                case "--out": options.Out = Value("a folder"); break;
                case "--plan": options.Plan = Plan.Parse(Value("a plan")); break;
                case "--name": options.Name = Value("a name"); break;
                case "--cores": options.Cores = Cores.Parse(Value("two cores")); break;
                case "--help" or "-h": options.Help = true; break;
                default: throw new FormatException($"'{option}' is not understood.");
            }
        }

        return options;

        string Value(string what) => next < arguments.Length ? arguments[next++] : throw new FormatException($"{arguments[^1]} wants {what}.");
    }
}
