using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Linq;
using System.Runtime.InteropServices;
using Spectre.Console;

namespace Ipc.Tool;

/// <summary><c>ipc doctor</c>: would Ipc work here, and if not, what to do.</summary>
internal static class DoctorVerb
{
    public static Command Create(Terminal terminal)
    {
        Option<bool> json = CommonOptions.Json();
        var command = new Command("doctor", "Checks directory, space, kernel and two processes; each problem with its remedy.") { json };
        command.SetAction(parsed =>
        {
            List<Finding> findings = [.. Run(() => CommonOptions.DirectoryOf(parsed))];
            if (parsed.GetValue(json))
                Json.Write(terminal.Out, findings);
            else
                Print(terminal, findings);
            return findings.Any(static finding => finding.Verdict == Verdict.Problem) ? ExitCode.Problems : ExitCode.Ok;
        });
        return command;
    }

    private static IEnumerable<Finding> Run(Func<string> directory)
    {
        if (!RuntimeInformation.IsOSPlatform(OSPlatform.Linux) || RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64))
        {
            yield return Finding.Problem("system", $"{RuntimeInformation.OSDescription}, {RuntimeInformation.ProcessArchitecture}", "Linux on x64 or arm64");
            yield break;
        }

        yield return KernelChecks.Versions();
        bool sound = true;
        foreach (Finding finding in DirectoryChecks.Run(directory()).Concat(KernelChecks.Run()))
        {
            sound &= finding.Verdict != Verdict.Problem || finding.Check is "regions" or "machine";
            yield return finding;
        }

        yield return sound ? EchoCheck.Run() : Finding.Problem("two processes", "not tried", "solve the problems above first");
    }

    private static void Print(Terminal terminal, List<Finding> findings)
    {
        foreach (Finding finding in findings)
        {
            string mark = finding.Verdict switch { Verdict.Ok => "[green]ok      [/]", Verdict.Warning => "[yellow]warning [/]", _ => "[red]PROBLEM [/]" };
            terminal.Console.Markup(mark);
            terminal.Out.WriteLine($"{finding.Check,-16}{Tame.Line(finding.Text)}"); // not through the console: it would break long lines
            if (finding.Remedy is not null)
                terminal.Out.WriteLine($"{"",-24}-> {Tame.Line(finding.Remedy)}");
        }

        int problems = findings.Count(static finding => finding.Verdict == Verdict.Problem), warnings = findings.Count(static finding => finding.Verdict == Verdict.Warning);
        terminal.Out.WriteLine(problems + warnings == 0 ? "all is well" : $"{Human.Some(problems, "problem")}, {Human.Some(warnings, "warning")}");
    }
}
