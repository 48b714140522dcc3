using System.Linq;

namespace Ipc.Tool;

/// <summary>The names that regions can have.</summary>
internal static class RegionNames
{
    /// <summary>Whether a region can have that name: otherwise, who put it there did it without Ipc.</summary>
    public static bool IsPossible(string name) => name.Length > 0 && name[0] != '.' && name.All(IsOfNames);

    private static bool IsOfNames(char character) => char.IsAsciiLetterOrDigit(character) || character is '.' or '_' or '-' or '~';
}
