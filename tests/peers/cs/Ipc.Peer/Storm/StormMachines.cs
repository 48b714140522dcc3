using System;
using System.Diagnostics;
using System.IO;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>Two machines, as network namespaces that <c>tests/machines.sh</c> makes, and the cable between them. Each has regions of its own.</summary>
internal sealed class StormMachines
{
    /// <summary>The address of the first one, where the server is.</summary>
    public const string Address = "10.211.55.1";

    private const string Cable = "cable"; // the device's name on both

    private readonly string[] _names;
    private readonly string[] _folders;

    private StormMachines(string[] names, string folder)
    {
        _names = names;
        _folders = [Path.Combine(folder, "server"), Path.Combine(folder, "clients")];
        foreach (string each in _folders)
            Directory.CreateDirectory(each, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    /// <summary>Those of the environment, if there are any.</summary>
    public static StormMachines? Find(string folder) =>
        Environment.GetEnvironmentVariable("IPC_STORM_MACHINES") is { Length: > 0 } names ? new StormMachines(names.Split(' '), folder) : null;

    /// <summary>What runs that command on one of them: the process that is started becomes it.</summary>
    public ProcessStartInfo On(int machine, string program, params string[] arguments)
    {
        ProcessStartInfo start = new("ip", ["netns", "exec", _names[machine], program, .. arguments]);
        start.Environment["IPC_DIR"] = _folders[machine];
        return start;
    }

    /// <summary>Nothing gets through until it is plugged in again, and nobody is told.</summary>
    public void Unplug() => Set("down");

    public void Plug() => Set("up");

    private void Set(string state)
    {
        using Process set = Process.Start(On(0, "ip", "link", "set", Cable, state))!;
        set.WaitForExit();
        if (set.ExitCode != 0)
            throw new InvalidOperationException($"the cable is not {state}");
    }
}
