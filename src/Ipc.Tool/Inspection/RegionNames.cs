using System;

namespace Ipc.Tool;

/// <summary>The names that regions can have.</summary>
internal static class RegionNames
{
    /// <summary>Of what lies in the directory of the machine, where users meet.</summary>
    public const string OfMachine = "machine/";

    public static bool IsOfMachine(string name) => name.StartsWith(OfMachine, StringComparison.Ordinal);

    /// <summary>Whether a region can have that name: otherwise, who put it there did it without Ipc.</summary>
    public static bool IsPossible(string name)
    {
        ReadOnlySpan<char> file = name.AsSpan(IsOfMachine(name) ? OfMachine.Length : 0);
        return file.Length > 0 && file[0] != '.' && file.IndexOfAnyExcept(s_ofNames) < 0;
    }

    private static readonly System.Buffers.SearchValues<char> s_ofNames =
        System.Buffers.SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~");
}
