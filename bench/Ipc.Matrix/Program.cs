using System;
using System.Linq;
using Ipc.Matrix;

try
{
    Options options = Options.Parse(args);
    switch (options.Verb)
    {
        case "run": return Matrix.Run(options);
        case "measure": ManagedPair.Measure(options.Figure, options.Cores ?? Cores.Find(), options.Scale ?? 1, options.Name); return 0;
        case "answer": ManagedPair.Answer(options.Figure, options.Cores ?? Cores.Find(), options.Name); return 0;
        case "crew": ManagedCrew.Measure(options.Figure, options.Cores ?? Cores.Find(), options.Scale ?? 1); return 0;
        case "sender": ManagedCrew.Work(options.Figure, options.Name, options.Cores, sends: true); return 0;
        case "receiver": ManagedCrew.Work(options.Figure, options.Name, options.Cores, sends: false); return 0;
        case "proto": Console.Write(BenchRpc.Proto); return 0;
        case "list": Console.WriteLine(string.Join('\n', Figures.All.Select(figure => figure.Name))); return 0;
        default: throw new FormatException($"There is no verb '{options.Verb}'.");
    }
}
catch (FormatException problem)
{
    Console.Error.WriteLine(problem.Message);
    Console.Error.WriteLine(Options.Usage);
    return 2;
}
