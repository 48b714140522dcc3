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
