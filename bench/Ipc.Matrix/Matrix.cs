using System;
using System.Collections.Generic;
using System.IO.Enumeration;
using System.Linq;

namespace Ipc.Matrix;

/// <summary>One run: chooses the figures, measures them, writes the table.</summary>
internal static class Matrix
{
    /// <returns>The exit code: 0 when every figure that was asked for could be measured.</returns>
    public static int Run(Options options)
    {
        Cores cores = options.Cores ?? Cores.Find();
        if (options.Docs && options.Only != "*")
            throw new FormatException("--docs is about all figures: their tables have one run.");
        int rounds = options.Rounds ?? (options.Quick ? 5 : 15);
        Figure[] chosen = Choose(options.Only);
        if (chosen.Length == 0)
            throw new FormatException($"No figure matches '{options.Only}'.");

        Load load = Load.Now();
        Console.Error.WriteLine(load.Warning);
        Progress progress = new(chosen.Length);
        List<Result> results = [];
        Programs programs = new(options.Native, cores, options.Scale ?? (options.Quick ? 0.5 : 1));
        using (Measurement measurement = new(programs, rounds, cores.AreTwo))
        {
            foreach (Figure figure in chosen.Where(static figure => !IsLimit(figure)))
                results.Add(Shown(figure, measurement.Run));

            // Last: by now the limits have been measured beside the others, all through the run.
            results.InsertRange(0, chosen.Where(IsLimit).Select(figure => Shown(figure, measurement.RunLimit)).ToArray());
        }

        Progress.Clear();
        results = Rivals.Beside(results);
        string how = $"{Placement(cores)}; median of {rounds} rounds, limit and figure in turns";
        ResultTable.Print($"{Machine.Describe()}\n{how}{(load.IsBusy ? "\n" + load.Remark : "")}", results);
        if (options.Json is not null)
            ResultJson.Write(options.Json, results);
        if (options.Docs)
            ResultDocs.Write(".", options.Quick ? "bench/run.sh --quick" : "bench/run.sh", how, load, results);
        return results.Any(result => result.Failed) ? 1 : 0;

        Result Shown(Figure figure, Func<Figure, Result> run)
        {
            progress.Show(figure.Name, results.Count(static result => result.Failed));
            Result result = run(figure);
            if (result.Failed)
                progress.Failed(figure.Name, result.Problem!);
            else
                progress.Done();
            return result;
        }
    }

    private static bool IsLimit(Figure figure) => figure.Runner == Runner.NativeLimits;

    /// <summary>What matches, and the limits and rivals that it needs, in the order of the table.</summary>
    private static Figure[] Choose(string pattern)
    {
        HashSet<string> names = [];
        foreach (Figure figure in Figures.All.Where(figure => FileSystemName.MatchesSimpleExpression(pattern, figure.Name)))
        {
            names.Add(figure.Name);
            if (figure.Limit is not null)
                names.Add(figure.Limit);
            if (figure.Rival is not null)
                names.Add(figure.Rival);
        }

        return Figures.All.Where(figure => names.Contains(figure.Name)).ToArray();
    }

    private static string Placement(Cores cores) =>
        cores.AreTwo ? $"measuring process on core {cores.Measuring}, answering on core {cores.Answering}" : $"both processes on core {cores.Measuring}, the only one";
}
