using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Ipc.Mutation.Tests;

/// <summary>One step less, or in the wrong order: csharp.mutants and native.mutants say how they are written.</summary>
public sealed record Mutant(int Number, string Name, bool IsInSample, string? Library, string Kind, string File, string Test, IReadOnlyList<Edit> Edits)
{
    /// <summary>The edited text, or why there is none.</summary>
    public (string Text, string? Problem) Apply(string text)
    {
        foreach (Edit edit in Edits)
        {
            int at = text.IndexOf(edit.Original, StringComparison.Ordinal);
            if (at < 0)
                return (text, $"nothing to edit in {File}: {edit.Original}");
            if (text.IndexOf(edit.Original, at + 1, StringComparison.Ordinal) >= 0)
                return (text, $"more than one place in {File}: {edit.Original}");
            text = text[..at] + edit.Replacement + text[(at + edit.Original.Length)..];
        }

        return (text, null);
    }

    /// <summary>All of a list, in its order; numbers begin with 1.</summary>
    public static IReadOnlyList<Mutant> Read(string path)
    {
        List<Mutant> mutants = [];
        string? library = null;
        string[] lines = System.IO.File.ReadAllLines(path);
        for (int i = 0; i < lines.Length; i++)
        {
            string line = lines[i];
            if (After(line, "library ") is { } name)
                library = name;
            else if ((After(line, "sample ") ?? After(line, "mutant ")) is { } words)
                mutants.Add(ReadOne(mutants.Count + 1, words, line.StartsWith("sample ", StringComparison.Ordinal), library, lines[++i], lines[++i], Block(lines, ref i)));
            else if (line.Length != 0 && line[0] != '#')
                throw new InvalidDataException($"{path}, line {i + 1}: {line}");
        }

        IGrouping<string, Mutant>? same = mutants.GroupBy(static mutant => mutant.Name).FirstOrDefault(static group => group.Count() != 1);
        return same is null ? mutants : throw new InvalidDataException($"{path}: two mutants are called {same.Key}");
    }

    private static Mutant ReadOne(int number, string name, bool isInSample, string? library, string where, string seen, List<Edit> edits)
    {
        string[] place = where.Trim().Split(" of ", 2);
        string? test = After(seen.Trim(), "seen by ");
        if (place.Length != 2 || test is null || edits.Count == 0)
            throw new InvalidDataException($"{name}: `KIND of FILE`, `seen by TEST` and an edit are wanted");
        return new Mutant(number, name, isInSample, library, place[0], place[1], test, edits);
    }

    /// <summary>The lines with - and + that follow line <paramref name="i"/>, up to the last of them.</summary>
    private static List<Edit> Block(string[] lines, ref int i)
    {
        List<Edit> edits = [];
        while (i + 1 < lines.Length && lines[i + 1] is ['-', ..])
            edits.Add(new Edit(Side(lines, '-', ref i), Side(lines, '+', ref i)));
        return edits;
    }

    private static string Side(string[] lines, char sign, ref int i)
    {
        List<string> side = [];
        while (i + 1 < lines.Length && lines[i + 1].StartsWith(sign))
            side.Add(lines[++i].Length > 2 ? lines[i][2..] : "");
        return string.Join('\n', side);
    }

    private static string? After(string line, string word) => line.StartsWith(word, StringComparison.Ordinal) ? line[word.Length..] : null;
}
