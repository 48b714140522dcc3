using System;

namespace Ipc;

/// <summary>Which names a region can have; docs/wire-format.md section 1.</summary>
internal static class RegionName
{
    public const int MaxLength = 120;

    /// <summary>What the name of a region of the whole machine begins with.</summary>
    public const string Machine = "machine/";

    public static bool IsOfMachine(string name) => name.StartsWith(Machine, StringComparison.Ordinal);

    /// <summary>The file of that name, and where it is.</summary>
    public static string PathOf(string name)
    {
        if (!IsOfMachine(name))
            return Os.Current.RegionDirectory() + "/" + name;
        string file = name.Substring(Machine.Length);
        return Os.Current.MachineDirectory() + "/" + file;
    }

    /// <summary>It can be a region's, and is no connection's.</summary>
    public static bool IsOne(string name)
    {
        if (name.Length is 0 or > MaxLength || name[0] == '.')
            return false;
        foreach (char character in name)
        {
            if (!IsAllowed(character))
                return false;
        }

        return Os.Current.WhyNoName(name) is null;
    }

    /// <summary>What stands between the two names of a named connection's region.</summary>
    public const string Between = "~~";

    /// <summary>It is a named connection's: two names.</summary>
    public static bool IsOfTwo(string name)
    {
        int at = name.IndexOf(Between, StringComparison.Ordinal);
        return at > 0 && IsOne(name.Substring(0, at)) && IsOne(name.Substring(at + Between.Length));
    }

    /// <summary>Refuses what no region has for a name, also one that is not opened by its name alone.</summary>
    public static void CheckExisting(string name)
    {
        Throw.IfNull(name, nameof(name));
        if (!IsOfTwo(name))
            Check(name);
    }

    /// <summary>Refuses a name that is not 1 to 120 of [A-Za-z0-9._-], starts with a dot, or is none on this system.
    /// Names are never mangled.</summary>
    public static void Check(string name)
    {
        Throw.IfNull(name, nameof(name));
        if (IsOfMachine(name))
            name = name.Substring(Machine.Length);
        if (name.Length is 0 or > MaxLength)
            Throw.Status(IpcStatus.InvalidName, $"A name has 1 to {MaxLength} characters, this one has {name.Length}.");
        if (name[0] == '.')
            Throw.Status(
                IpcStatus.InvalidName,
                $"A name does not begin with a dot: \"{name}\" does.");
        foreach (char character in name)
        {
            if (!IsAllowed(character))
                Throw.Status(
                    IpcStatus.InvalidName,
                    $"A name has only the characters A-Z a-z 0-9 . _ -: \"{name}\" has another one.");
        }

        if (Os.Current.WhyNoName(name) is { } reason)
            Throw.Status(IpcStatus.InvalidName, $"The name \"{name}\" {reason}. Use another one.");
    }

    private static bool IsAllowed(char character) =>
        character is >= 'a' and <= 'z' or >= 'A' and <= 'Z' or >= '0' and <= '9' or '.' or '_' or '-';
}
