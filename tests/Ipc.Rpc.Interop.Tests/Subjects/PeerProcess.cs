using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>A server or a storming client in a process of its own, to be killed at any moment. A server that is not ends in good order when disposed.</summary>
internal sealed class PeerProcess : IDisposable
{
    private readonly Process _process;
    private readonly bool _isServer;

    private PeerProcess(bool isServer, string program, params string[] arguments)
    {
        _isServer = isServer;
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true };
        start.Environment["DOTNET_GCgen0size"] = "0x400000"; // else it first collects when as much has been allocated as the largest cache holds: hundreds of MB on some machines
        _process = Process.Start(start)!;
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        Assert.True(line.Wait(Repository.Watchdog), "the other process does not get ready");
        Assert.Equal("ready", line.Result);
    }

    public int Id => _process.Id;

    /// <summary>File descriptors that it has open.</summary>
    public int OpenFiles => Directory.GetFileSystemEntries($"/proc/{Id}/fd").Length;

    public static PeerProcess Server(Language language, string name)
        => language == Language.CSharp ? Managed("tests", name) : new PeerProcess(true, Repository.NativePeer, "serve", name);

    public static PeerProcess Storm(Language language, string name)
        => language == Language.CSharp ? Managed("storm", name) : new PeerProcess(false, Path.Combine(Path.GetDirectoryName(Repository.NativePeer)!, "rpc_storm"), name);

    /// <summary>SIGKILL; it must have been alive until then, with nothing to complain of.</summary>
    public void Kill()
    {
        bool ended = _process.HasExited;
        _process.Kill();
        Assert.True(_process.WaitForExit(Repository.Watchdog), "a killed process does not end");
        Assert.False(ended, "the other process ended by itself: " + _process.StandardOutput.ReadToEnd());
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            if (_isServer)
                _process.StandardInput.Close(); // ends in good order, and leaves no region
            if (!_isServer || !_process.WaitForExit(Repository.Watchdog))
                _process.Kill();
            _process.WaitForExit();
        }
        _process.Dispose();
    }

    private static PeerProcess Managed(string verb, string name)
    {
        string host = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? Environment.ProcessPath! : "dotnet";
        return new PeerProcess(verb == "tests", host, Path.Combine(AppContext.BaseDirectory, "Ipc.Rpc.Peer.dll"), verb, name);
    }
}
