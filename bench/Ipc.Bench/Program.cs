using BenchmarkDotNet.Running;
using Ipc.Bench;

// Single operations in one process, for work on the hot paths: dotnet run -c Release --project bench/Ipc.Bench -- --filter '*'
// What two processes do to each other is measured by bench/run.sh.
BenchmarkSwitcher.FromAssembly(typeof(RingBenchmarks).Assembly).Run(args);
