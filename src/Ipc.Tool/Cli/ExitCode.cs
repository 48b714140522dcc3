namespace Ipc.Tool;

/// <summary>What the tool's exit codes mean; the README lists them for scripts.</summary>
internal static class ExitCode
{
    public const int Ok = 0;

    /// <summary>It was done, and what was found is not well: a check of doctor failed, a region is damaged, something could not be cleaned.</summary>
    public const int Problems = 1;

    /// <summary>Arguments that make no sense, or a message that the method does not take.</summary>
    public const int Usage = 2;

    /// <summary>No region, file, service or method of that name.</summary>
    public const int NotFound = 3;

    /// <summary>What has that name is not what was asked for: damaged, of another kind or version, not a region at all.</summary>
    public const int Unusable = 4;

    /// <summary>It belongs to somebody else.</summary>
    public const int Denied = 5;

    /// <summary>The call ended with an error, or there is no server.</summary>
    public const int CallFailed = 6;

    /// <summary>This system has no Ipc.</summary>
    public const int Unsupported = 7;

    /// <summary>There was no room, or nothing came, for as long as was to be waited.</summary>
    public const int TimedOut = 8;

    /// <summary>Somebody else has that end, or all places are taken.</summary>
    public const int InUse = 9;

    /// <summary>A defect of the tool.</summary>
    public const int Internal = 70;

    /// <summary>Ended by Ctrl+C, as shells count it.</summary>
    public const int Interrupted = 130;

    /// <summary>Nobody reads the output any more, as shells count it.</summary>
    public const int OutputClosed = 141;

    public static int Of(IpcStatus status) => status switch
    {
        IpcStatus.NotFound => NotFound,
        IpcStatus.Corrupt or IpcStatus.WrongKind or IpcStatus.WrongVersion => Unusable,
        IpcStatus.AccessDenied => Denied,
        IpcStatus.InvalidName or IpcStatus.InvalidArgument or IpcStatus.TooLarge => Usage,
        _ => Problems,
    };
}
