using System;
using System.CommandLine;
using System.IO;
using Ipc.Build.Promises;
using Ipc.Build.Results;

namespace Ipc.Build;

/// <summary>What test.sh asks for: what a runner has reported, and whether the promises hold that were broken once.</summary>
internal static class Program
{
    private static int Main(string[] args)
        => new RootCommand("What the scripts of this repository need beside CMake, CTest and dotnet.") { ResultsCommand(), PromisesCommand() }.Parse(args).Invoke();

    private static Command ResultsCommand()
    {
        Argument<FileInfo> file = new("FILE") { Description = "the XML of xunit, or CTest's JUnit XML" };
        Command command = new("results", "Prints `PASSED FAILED SKIPPED`, and a line for each test that was skipped, with its reason.") { file };
        command.SetAction(parsed =>
        {
            ResultFile results = ResultFile.Read(parsed.GetRequiredValue(file).FullName);
            Console.WriteLine($"{results.Passed} {results.Failed} {results.Skipped}");
            foreach (TestResult skipped in results.Tests)
            {
                if (skipped.Outcome == Outcome.Skipped)
                    Console.WriteLine($"    skipped: {skipped.Shown}: {skipped.Reason}");
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
}
