using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;

namespace Ipc.Matrix.Cells;

/// <summary>One run: measures what was asked for, or takes a run of before, and writes what was asked for.</summary>
internal static class Run
{
    /// <returns>The exit code: 0 when every cell was measured.</returns>
    public static int Execute(Options options)
    {
        if (options.List)
        {
            Catalogue.List(Console.Out, options.Quick, options.Only);
            return 0;
        }

        RunFile run = options.From is { } file ? RunFile.Read(file) : Measure(options);
        if (options.Json is { } json)
            run.Write(json);
        if (options.Csv is { } csv)
            File.WriteAllText(csv, Tables.Csv(run));
        if (options.Docs)
        {
            foreach (string path in Docs.Write(run, options.Out))
                Console.Error.WriteLine($"wrote {path}");
        }

        Console.Out.Write(Tables.Terminal(run, Width()));
        Console.Out.WriteLine(Tables.Ending(run));
        return run.Failed.Count > 0 ? 1 : 0;
    }

    private static RunFile Measure(Options options)
    {
        Cell[] cells = Catalogue.Choose(options.Quick, options.Only);
        if (cells.Length == 0)
            throw new FormatException($"No cell matches '{options.Only}'.");
        Cores cores = options.Cores ?? Cores.Find();
        if (!cores.AreTwo)
            throw new IOException("Two processes on one core are another measurement than this one: it needs two cores.");
        Load load = Load.Now();
        Console.Error.WriteLine(load.Warning);
        Plan plan = options.Plan ?? (options.Quick ? Plan.Quick : Plan.Full);
        long began = Stopwatch.GetTimestamp();
        Controller controller = new(plan, cores, new Progress(cells.Length));
        controller.Run(cells);
        return new RunFile
        {
            Date = DateTime.UtcNow.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
            Machine = Machine.Describe(),
            Kernel = Surroundings.Kernel(),
            Versions = Surroundings.Versions(),
            Settings = Surroundings.Settings(plan, options.Quick, cores),
            Seconds = Math.Round(Stopwatch.GetElapsedTime(began).TotalSeconds, 1),
            LoadBefore = load.Processors,
            IsBusy = load.IsBusy,
            Cells = controller.Results,
            Failed = controller.Failures,
        };
    }

    private static int Width()
    {
        try
        {
            return Console.IsOutputRedirected || Console.WindowWidth <= 0 ? int.MaxValue : Console.WindowWidth;
        }
        catch (IOException) // no terminal after all
        {
            return int.MaxValue;
        }
    }
}
