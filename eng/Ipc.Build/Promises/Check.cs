using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Ipc.Build.Results;

namespace Ipc.Build.Promises;

/// <summary>One line of a promise: a test that must run and pass, or a command.</summary>
/// <param name="Kind">cs, c or run.</param>
/// <param name="Project">Of cs: the project in tests.</param>
/// <param name="What">A method with `*` for any text, a regular expression for a whole name of CTest, a command.</param>
internal sealed record Check(string Kind, string Project, string What)
{
    /// <summary>Where the results of its kind are: the project, or the name of CTest's.</summary>
    public string Results => Kind == "c" ? "ctest-native" : Project;

    public static Check Parse(string line)
    {
        string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return words[0] switch
        {
            "cs" when words.Length == 3 => new Check("cs", words[1], words[2]),
            "c" when words.Length == 2 => new Check("c", "", words[1]),
            "run" when words.Length > 1 => new Check("run", "", string.Join(' ', words[1..])),
            _ => throw new InvalidDataException($"unknown kind of check: {line}"),
        };
    }

    /// <summary>Some test of that name has passed, and none has failed: one that was skipped has shown nothing.</summary>
    public bool IsShownBy(IReadOnlyList<TestResult> results)
    {
        Regex name = new(Kind == "c" ? $"^(?:{What})$" : $"{Regex.Escape(What).Replace(@"\*", ".*", StringComparison.Ordinal)}$");
        TestResult[] found = [.. results.Where(test => name.IsMatch(test.Name))];
        return found.Any(static test => test.Outcome == Outcome.Passed) && found.All(static test => test.Outcome != Outcome.Failed);
    }

    public override string ToString() => string.Join(' ', new[] { Kind, Project, What }.Where(static word => word.Length != 0));
}
