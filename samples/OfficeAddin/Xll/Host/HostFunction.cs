namespace OfficeAddin.Xll;

/// <summary>Functions of the host that the add-in calls, by the numbers of the Excel C API.</summary>
internal static class HostFunction
{
    public const int SetName = 88;
    public const int Register = 149;
    public const int Unregister = 201;

    /// <summary>What the worksheet function RTD does.</summary>
    public const int LiveValue = 379;

    /// <summary>Gives back what the host has returned.</summary>
    public const int Free = 0x4000;

    /// <summary>Whether the user has pressed Escape; on the main thread, also while a function is calculated.</summary>
    public const int Abort = 0x4006;

    /// <summary>The file name of this library.</summary>
    public const int GetName = 0x4009;

    /// <summary>The result of a function that has returned without one. On any thread.</summary>
    public const int Return = 0x4010;
}
