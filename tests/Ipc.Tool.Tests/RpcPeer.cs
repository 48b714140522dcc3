using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Ipc.Testing.Drive;

namespace Ipc.Tool.Tests;

/// <summary>A server of tests/native/rpc/tests.proto, in either language. Its input's end is its end.</summary>
internal sealed class RpcPeer : IDisposable
{
    private readonly Process _process;

    public RpcPeer(Language language, RegionDirectory directory, string name)
    {
        string[] command = language == Language.C ? [Native, "serve", name] : ["dotnet", Assembly, "tests", name];
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        start.Environment["IPC_DIR"] = directory.Path;
        _process = Process.Start(start)!;
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        if (!line.Wait(Watchdog.Patience) || line.Result != "ready")
            throw new InvalidOperationException($"{command[0]} does not get ready: {line.Result}");
    }

    public static string Assembly => Path.Combine(PeerPrograms.Top, "tests", "peers", "cs", "Ipc.Rpc.Peer", AppContext.BaseDirectory[(AppContext.BaseDirectory.IndexOf("Ipc.Tool.Tests", StringComparison.Ordinal) + 15)..], "Ipc.Rpc.Peer.dll");

    private static string Native => Path.Combine(
        Environment.GetEnvironmentVariable("IPC_NATIVE_BUILD") is { Length: > 0 } set ? set : Path.Combine(PeerPrograms.Top, "build", "native"), "tests", "native", "rpc_peer");

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(Watchdog.Patience))
            _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
    }
}
