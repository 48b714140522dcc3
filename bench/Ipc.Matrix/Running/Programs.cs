using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;

namespace Ipc.Matrix;

/// <summary>Finds and starts the programs that measure.</summary>
internal sealed class Programs(string nativeFolder, Cores cores, double scale)
{
    /// <summary>This program's own executable, for the two processes of a managed figure.</summary>
    public static string Self => Path.Combine(AppContext.BaseDirectory, "Ipc.Matrix");

    private int _pairs;

    public Worker Start(Figure figure)
    {
        if (figure.Runner == Runner.Mixed)
            return StartMixed(figure);
        string[] arguments = figure.IsPlain
            ? [figure.ProgramName]
            : [figure.ProgramName, "--cores", cores.ToString(), "--scale", scale.ToString(CultureInfo.InvariantCulture)];
        return figure.Runner switch
        {
            Runner.NativeLimits => Worker.Start(figure.Name, Native("bench_limits"), arguments),
            Runner.NativeSockets => Worker.Start(figure.Name, Native("bench_sockets"), arguments),
            Runner.NativeRing => Worker.Start(figure.Name, Native("bench_ring"), arguments),
            Runner.NativeConnect => Worker.Start(figure.Name, Native("bench_connect"), arguments),
            Runner.NativeNamed => Worker.Start(figure.Name, Native("bench_named"), arguments),
            Runner.NativeCrew => Worker.Start(figure.Name, Native("bench_crew"), arguments),
            Runner.NativeCliff => Worker.Start(figure.Name, Native("bench_cliff"), arguments),
            Runner.NativeRival => Worker.Start(figure.Name, Native("bench_rival"), arguments),
            Runner.ManagedCrew => Worker.Start(figure.Name, Self, ["crew", .. arguments]),
            Runner.NativeRpc => Worker.Start(figure.Name, Native("bench_rpc"), arguments),
            _ => Worker.Start(figure.Name, Self, ["measure", .. arguments]),
        };
    }

    /// <summary>Whether what an optional figure needs is here: a broker; or its program, which lists what it knows when it is asked for nothing.</summary>
    public bool Has(Figure figure)
    {
        if (figure.Runner == Runner.Managed)
            return BrokerPair.Broker is not null;
        string path = Path.Combine(nativeFolder, "bench_rival");
        if (!File.Exists(path))
            return false;
        using Process process = Process.Start(new ProcessStartInfo(path) { RedirectStandardError = true, RedirectStandardInput = true })!;
        string known = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return known.Contains(figure.Name, StringComparison.Ordinal);
    }

    /// <summary>Each half is that of the row of its own language, in a process that the other has not started: the server first, which ends after its caller.</summary>
    private Worker StartMixed(Figure figure)
    {
        const string Managed = "default.rpc.sync.64.cs", Cpp = "default.rpc.sync.64.cpp";
        string name = string.Create(CultureInfo.InvariantCulture, $"bench-{Environment.ProcessId}-{++_pairs}"), server = figure.Name + ", answering process";
        bool cppServes = figure.RoundTrips.EndsWith(".cs-cpp", StringComparison.Ordinal);
        Worker answering = cppServes
            ? Worker.Start(server, Native("bench_rpc"), Cpp, "--half", "answer", "--name", name)
            : Worker.Start(server, Self, "answer", Managed, "--name", name);
        try
        {
            Worker measuring = cppServes
                ? Worker.Start(figure.Name, Self, "measure", Managed, "--name", name)
                : Worker.Start(figure.Name, Native("bench_rpc"), Cpp, "--half", "measure", "--name", name);
            measuring.Other = answering;
            return measuring;
        }
        catch
        {
            answering.Dispose();
            throw;
        }
    }

    private string Native(string name)
    {
        string path = Path.Combine(nativeFolder, name);
        return File.Exists(path) ? path : throw new FileNotFoundException($"{path} is not built: cmake --preset native && cmake --build build/native", path);
    }
}
