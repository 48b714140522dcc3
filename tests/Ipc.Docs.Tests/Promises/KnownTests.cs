using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Ipc.Docs.Tests.Promises;

/// <summary>What the repository has that can show a promise: <c>Class.Method</c> of C#, the names that CTest lists, scripts, and models.</summary>
internal static partial class KnownTests
{
    private static readonly string[] Folders = ["tests/", "eng/", "bench/", "samples/", "nuget/", "docs/models/"];

    private static readonly Lazy<HashSet<string>> Names = new(Find);

    /// <summary>Whether there is one of that name; <c>*</c> stands for any text.</summary>
    public static bool Has(string name)
    {
        if (name is "test.sh" || Folders.Any(folder => name.StartsWith(folder, StringComparison.Ordinal)))
            return (name.EndsWith(".sh", StringComparison.Ordinal) || name.EndsWith(".pml", StringComparison.Ordinal)) && File.Exists(Repository.PathOf(name));
        if (!name.Contains('*'))
            return Names.Value.Contains(name);
        Regex pattern = new($"^{Regex.Escape(name).Replace(@"\*", ".*", StringComparison.Ordinal)}$");
        return Names.Value.Any(known => pattern.IsMatch(known));
    }

    private static HashSet<string> Find()
    {
        HashSet<string> names = [];
        string native = Repository.PathOf("tests/native");
        foreach (string file in Directory.EnumerateFiles(Repository.PathOf("tests"), "*.cs", SearchOption.AllDirectories).Where(static file => !Built().IsMatch(file)))
        {
            string text = File.ReadAllText(file);
            if (Class().Match(text) is { Success: true } type)
                names.UnionWith(Method().Matches(text).Select(method => $"{type.Groups[1].Value}.{method.Groups[1].Value}"));
        }

        foreach (string file in Directory.EnumerateFiles(native, "*", SearchOption.AllDirectories).Where(static file => Path.GetExtension(file) is ".c" or ".cpp"))
        {
            string suite = (file.EndsWith(".c", StringComparison.Ordinal) ? "native." : "") + Path.GetFileNameWithoutExtension(file), text = File.ReadAllText(file);
            names.UnionWith(NativeCase().Matches(text).Select(match => $"{suite}.{match.Groups[1].Value}"));
            names.UnionWith(NativeProgram().Matches(text).Select(static match => match.Groups[1].Value));
        }

        foreach (string file in Directory.EnumerateFiles(native, "*", SearchOption.AllDirectories).Where(static file => Path.GetExtension(file) is ".txt" or ".cmake"))
            names.UnionWith(Program().Matches(File.ReadAllText(file)).Select(static match => match.Groups[1].Value));
        names.UnionWith(Directory.EnumerateFiles(Path.Combine(native, "fuzz"), "*.cpp").Select(static file => Path.GetFileNameWithoutExtension(file)));
        return names;
    }

    [GeneratedRegex(@"[/\\](obj|bin)[/\\]")]
    private static partial Regex Built();

    [GeneratedRegex(@"^public (?:\w+ )*class (\w+)", RegexOptions.Multiline)]
    private static partial Regex Class();

    [GeneratedRegex(@"\[\w*(?:Fact|Theory)\b[^\n]*\](?:\s*(?:\[[^\n]*\]|//[^\n]*))*\s*public (?:\w+ )*?[\w<>.]+ (\w+)\(")]
    private static partial Regex Method();

    [GeneratedRegex(@"^(?:POSIX_)?TEST\((\w+)\)", RegexOptions.Multiline)]
    private static partial Regex NativeCase();

    [GeneratedRegex(@"^PROGRAM\((\w+)\)", RegexOptions.Multiline)]
    private static partial Regex NativeProgram();

    [GeneratedRegex(@"add_test\(NAME ([\w.]+) ")]
    private static partial Regex Program();
}
