using System.IO;
using System.Runtime.Versioning;

namespace Ipc.Testing.Drive;

/// <summary>Is a region as new? The C peer walks over all of it, without the library (tests/native/support/check_region.h).</summary>
[SupportedOSPlatform("linux")]
public static class RegionCheck
{
    /// <summary>Nobody is inside a call: nothing of the dead is left, nothing half-made. <paramref name="depth"/>: busy, idle or empty.</summary>
    public static void MustBeAsNew(this Peers peers, string name, string depth)
    {
        if (System.OperatingSystem.IsWindows())
            return; // the walk maps files and asks for locks by calls of Linux
        string text = "";
        bool IsAsNew()
        {
            Answer answer = peers.At(Language.C, "checker").Do($"check {name} {depth}");
            text = answer.Line;
            return answer.Status == IpcStatus.Ok;
        }
        try
        {
            Watchdog.Until(IsAsNew, $"{name} to be as new", System.TimeSpan.FromSeconds(10)); // who watches the dead needs its moment
        }
        catch (System.TimeoutException)
        {
            throw new InvalidDataException($"{name} is not as new: {text}");
        }
    }
}
