using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

namespace Ipc.Matrix;

/// <summary>The tables of docs/performance.md and README.md, all from one run: what stands between <c>run:begin</c> and <c>run:end</c>, and between <c>bench:begin</c> and <c>bench:end</c>.</summary>
internal static class ResultDocs
{
    /// <summary>What the README shows of it: who reads it knows no figure by its name.</summary>
    private static readonly (string Figure, string What, string? Limit, string? Rival)[] s_shown =
    [
        ("default.rpc.sync.64.cs", "C# call, 64 B, default options, a new program's first 20,000", null, "Unix socket"),
        ("default.rpc.sync.64.cs.p99", "the same, slowest hundredth", null, "Unix socket"),
        ("default.rpc.task.64.cs", "the same, one task after another", null, "Unix socket"),
        ("default.rpc.sync.64.cpp", "C++ call, 64 B, default options, a new program's first 20,000", null, "Unix socket"),
        ("busy.1.rpc.sync.64.cs", "C# call beside a busy loop", null, "Unix socket"),
        ("busy.1.rpc.sync.64.cs.p99", "C# call beside a busy loop, slowest hundredth", null, "Unix socket"),
        ("rpc.sync.64.spin.cs", "C# call, 64 B, the client spins", "ping-pong of two lines", "Unix socket that polls"),
        ("rpc.sync.64.spin.cpp", "C++ call, 64 B, the client spins", "ping-pong of two lines", "Unix socket that polls"),
        ("rpc.sync.64.block.cs", "C# call, 64 B, both sides sleep", "futex", "HTTP/2 over a Unix socket"),
        ("rpc.pipelined.64.cs", "C# calls, 64 in flight from one thread", null, "Unix socket that polls, 64 in flight"),
        ("rpc.stream.64.default.cs", "C# stream of 64 B items, default options", null, null),
        ("rpc.response.1m.pooled.cs", "C# call with an answer of 1 MB, pooled bytes", "1 MB between two cores", null),
        ("ring.echo.64.spin.c", "C ring, 64 B there and back, both sides spin", "ping-pong of two lines", "Unix socket that polls"),
        ("ring.echo.64.spin.cs", "C# ring, 64 B there and back, both sides spin", "ping-pong of two lines", "Unix socket that polls"),
        ("ring.oneway.64.cs", "C# ring, 64 B one way", "bare C ring", "Unix socket that polls"),
        ("queue.8.1-1.c", "C queue, 8 B, one sender, one receiver", "bare slot queue, threads", "`boost::interprocess`, polling"),
        ("queue.8.1-1.cs", "C# queue, 8 B, one sender, one receiver", "bare slot queue, threads", "ZeroMQ, polling"),
        ("topic.8.1-1.c", "C topic, 8 B, one writer, one reader", "bare slot queue, threads", "ZeroMQ, polling"),
        ("topic.8.1-4.c", "C topic, 8 B, one writer, four readers on two cores, per delivery", null, null),
        ("queue.1m.1-1.c", "C queue, 1 MB in place", "bare copy", null),
    ];

    public static void Write(string top, string command, string placement, Load load, IReadOnlyList<Result> results)
    {
        string when = DateTime.UtcNow.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
        Replace(Path.Combine(top, "docs", "performance.md"), "run", Performance($"{when}, `{command}`: {Machine.Describe()}; {placement}.", load, results));
        Replace(Path.Combine(top, "README.md"), "bench", Readme(load, results));
    }

    public static string Performance(string heading, Load load, IReadOnlyList<Result> results)
    {
        StringBuilder text = new();
        text.Append(heading).Append(load.IsBusy ? $"\n**{load.Remark}**" : "").Append("\n\nValue, limit and rival are in the unit of their row. A target without a unit is for the ratio, one with a unit for the value.\n\n");
        text.Append("| figure | unit | value | limit | ratio | target | verdict | spread | rival |\n|---|---|---|---|---|---|---|---|---|\n");
        foreach (Result result in results)
        {
            Figure figure = result.Figure;
            string[] cells = result.Value is { } value
                ? [figure.Unit.Symbol(), ResultText.Number(value), ResultText.Limit(result), ResultText.Ratio(result), ResultText.Target(figure), Verdict(result), ResultText.Spread(result), ResultText.Rival(result, Code)]
                : [figure.Unit.Symbol(), result.Skipped ? "left out" : "failed", "", "", ResultText.Target(figure), "", "", result.Problem ?? ""];
            text.Append("| `").Append(figure.Name).Append(figure.Tuned is null ? "` | " : "` \\* | ").AppendJoin(" | ", cells).Append(" |\n");
        }

        text.Append("\nOptions that are not the defaults, and are not named by the row:\n\n");
        foreach (string mark in ResultText.Marks(results, Code))
            text.Append(mark).Append('\n');
        text.Append("\nSingle round trips:\n\n| round trip | unit | p50 | p99 | p99.9 | max |\n|---|---|---|---|---|---|\n");
        foreach (Result result in results)
        {
            if (result.Quantiles is { } all)
                text.Append("| `").Append(result.Figure.Name).Append("` | ").Append(result.Figure.Unit.Symbol()).Append(" | ").AppendJoin(" | ", all.Select(ResultText.Number)).Append(" |\n");
        }

        Result[] missed = [.. results.Where(static result => result.Reached == false)], unstable = [.. results.Where(static result => result.Figure.HasTarget && result.IsUnstable)];
        text.Append(CultureInfo.InvariantCulture, $"\n{results.Count(static result => result.Reached == true)} targets reached, {missed.Length} missed, {unstable.Length} without a verdict (unstable).");
        if (missed.Length != 0)
            text.Append(" Missed: ").AppendJoin(", ", missed.Select(static result => $"`{result.Figure.Name}` ({(result.Ratio is not null && result.Figure.Target is not null ? ResultText.Ratio(result) : ResultText.Number(result.Value!.Value) + " " + result.Figure.Unit.Symbol())}, {ResultText.Target(result.Figure)})")).Append('.');
        return text.Append('\n').ToString();
    }

    public static string Readme(Load load, IReadOnlyList<Result> results)
    {
        StringBuilder text = new(load.IsBusy ? $"**{load.Remark}**\n\n" : "");
        text.Append("| two processes on a 2-core virtual machine | unit | Ipc | limit | ratio | alternative |\n|---|---|---|---|---|---|\n");
        foreach ((string name, string what, string? limit, string? rival) in s_shown)
        {
            Result? result = results.FirstOrDefault(one => one.Figure.Name == name);
            if (result?.Value is not { } value)
                continue;
            string ratio = result.IsUnstable ? "unstable" : limit is null ? "" : ResultText.Ratio(result);
            string beside = limit is null || result.LimitValue is not { } least ? "" : Named(least, limit, result.LimitIsUnstable);
            string instead = rival is null || result.RivalValue is not { } theirs ? "" : Named(theirs, rival, result.RivalIsUnstable);
            string[] cells = [ResultText.Number(value), beside, ratio, instead];
            text.Append("| ").Append(what).Append(" | ").Append(Long(result.Figure.Unit)).Append(" | ").AppendJoin(" | ", cells).Append(" |\n");
        }

        return text.ToString();
    }

    /// <summary>Keeps the two marks, and what stands outside of them.</summary>
    private static void Replace(string path, string mark, string text)
    {
        string all = File.ReadAllText(path), begin = $"<!-- {mark}:begin -->\n", end = $"<!-- {mark}:end -->";
        int from = all.IndexOf(begin, StringComparison.Ordinal), to = all.IndexOf(end, StringComparison.Ordinal);
        if (from < 0 || to < from)
            throw new FormatException($"{path} has no {begin.TrimEnd()} ... {end}.");
        File.WriteAllText(path, all[..(from + begin.Length)] + text + all[to..]);
    }

    private static string Verdict(Result result) => result switch
    {
        { IsUnstable: true } => "unstable", // whether it has a target or is a limit or a rival itself
        { Figure.HasTarget: false } => "",
        { Reached: true } => "reached",
        { Reached: false } => "**missed**",
        _ => "",
    };

    private static string Named(double value, string what, bool isUnstable) => $"{ResultText.Number(value)} ({what}{ResultText.Doubt(isUnstable)})";

    private static string Code(string name) => $"`{name}`";

    private static string Long(Unit unit) => unit == Unit.MillionPerSecond ? "million/s" : unit.Symbol();
}
