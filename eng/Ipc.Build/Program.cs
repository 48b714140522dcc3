using System;
using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Linq;
using Ipc.Build.Inputs;
using Ipc.Build.Promises;
using Ipc.Build.Results;
using Ipc.Testing.Drive;
using Command = System.CommandLine.Command;

namespace Ipc.Build;

/// <summary>What test.sh asks for: what a runner has reported, what its results depend on, and whether the promises hold that were broken once.</summary>
internal static class Program
{
    private static int Main(string[] args)
        => new RootCommand("What the scripts of this repository need beside CMake, CTest and dotnet.") { ResultsCommand(), PromisesCommand(), InputsCommand() }.Parse(args).Invoke();

    private static Command ResultsCommand()
    {
        Argument<FileInfo> file = new("FILE") { Description = "the XML of xunit, or CTest's JUnit XML" };
        Command command = new("results", "Prints `PASSED FAILED SKIPPED`, and what was skipped, with the reason: a line for each test, or for several of a class that have the same.") { file };
        command.SetAction(parsed =>
        {
            ResultFile results = ResultFile.Read(parsed.GetRequiredValue(file).FullName);
            Console.WriteLine($"{results.Passed} {results.Failed} {results.Skipped}");
            foreach (IGrouping<(string Class, string Reason), TestResult> skipped in results.Tests.Where(static test => test.Outcome == Outcome.Skipped).GroupBy(static test => (test.Class, test.Reason)))
            {
                int count = skipped.Count();
                Console.WriteLine($"    skipped: {(count == 1 ? skipped.First().Shown : $"{count} tests of {skipped.Key.Class}")}: {skipped.Key.Reason}");
            }
        });
        return command;
    }

    private static Command PromisesCommand()
    {
        Argument<int[]> numbers = new("NUMBER") { Description = "these promises only" };
        Option<bool> list = new("--list") { Description = "Shows what is promised, and checks nothing." };
        Option<DirectoryInfo?> given = new("--results") { Description = "Nothing runs that this folder has the results of (PROJECT.xml of xunit, ctest-native.xml of CTest)." };
        Command command = new("promises", "Checks each promise that was once broken, and ends with `N held, M broken`.") { numbers, list, given };
        command.SetAction(parsed =>
        {
            PromiseList promises = PromiseList.Read(parsed.GetValue(numbers) ?? []);
            if (promises.Promises.Count == 0)
            {
                Console.Error.WriteLine("no such promise");
                return 2;
            }

            return parsed.GetValue(list) ? promises.Show() : promises.CheckAll(parsed.GetValue(given)?.FullName);
        });
        return command;
    }

    private static Command InputsCommand()
    {
        Argument<string> runner = new("RUNNER") { Description = "a project of tests, or native, asan or tsan" };
        Argument<string> configuration = new("CONFIGURATION");
        Command command = new("inputs", "Prints one number for all that the results of a runner depend on; fails when that cannot be said, or something of it is not there.") { runner, configuration };
        command.SetAction(parsed =>
        {
            IReadOnlyList<string>? inputs = RunnerInputs.Of(PeerPrograms.Top, parsed.GetRequiredValue(runner), parsed.GetRequiredValue(configuration));
            if (inputs is null)
                return 1;
            Console.WriteLine(InputHash.Of(PeerPrograms.Top, inputs));
            return 0;
        });
        return command;
    }
}
