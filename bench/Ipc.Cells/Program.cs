using System;
using System.IO;
using Ipc.Matrix;
using Ipc.Matrix.Cells;

try
{
    Options options = Options.Parse(args);
    if (options.Help)
    {
        Console.WriteLine(Options.Usage);
        return 0;
    }

    return options.Verb switch
    {
        "run" => Run.Execute(options),
        "measure" => MeasuringProcess.Run(Cell.Parse(options.Cell), options.Plan ?? Plan.Quick, options.Cores ?? Cores.Find()),
        "answer" => AnsweringProcess.Run(Cell.Parse(options.Cell), options.Name, options.Cores ?? Cores.Find()),
        _ => throw new FormatException($"There is no verb '{options.Verb}'."),
    };
}
catch (FormatException problem)
{
    Console.Error.WriteLine(problem.Message);
    Console.Error.WriteLine(Options.Usage);
    return 2;
}
#pragma warning disable CA1031 // the other process shows it as the reason of its cell: one line
catch (Exception problem) when (problem is IOException || args is ["measure" or "answer", ..])
#pragma warning restore CA1031
{
    Console.Error.WriteLine(problem.Message.ReplaceLineEndings(" "));
    return 1;
}
