using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>The other process: Ipc.Rpc.Peer with a verb. A server ends in good order when disposed, anything else is killed.</summary>
internal sealed class PeerProcess : IDisposable
{
    private readonly Process _process;
    private readonly bool _isServer;

    public PeerProcess(params string[] arguments)
    {
        _isServer = arguments[0] == "serve";
        string host = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? Environment.ProcessPath! : "dotnet";
        var start = new ProcessStartInfo(host) { RedirectStandardInput = true, RedirectStandardOutput = true };
        start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, "Ipc.Rpc.Peer.dll"));
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        _process = Process.Start(start)!;

        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        Assert.True(line.Wait(Eventually.Watchdog), "the other process does not start");
        Assert.Equal("ready", line.Result);
    }

    public int Id => _process.Id;

    /// <summary>SIGKILL; returns when the process is gone.</summary>
    public void Kill()
    {
        _process.Kill();
        Assert.True(_process.WaitForExit(Eventually.Watchdog), "a killed process does not end");
    }

    /// <summary>SIGSTOP, and SIGCONT when the result is disposed.</summary>
    public IDisposable Stop()
    {
        Signal("STOP");
        Eventually.True(() => Directory.GetDirectories("/proc/" + Id + "/task").All(IsStopped), "every thread of the other process has stopped");
        return new Stopped(this);

        static bool IsStopped(string thread)
        {
            string stat = File.ReadAllText(Path.Combine(thread, "stat"));
            return stat.AsSpan(stat.LastIndexOf(')') + 2).StartsWith("T", StringComparison.Ordinal);
        }
    }

    /// <summary>Waits for its own end.</summary>
    public int WaitForExit()
    {
        Assert.True(_process.WaitForExit(Eventually.Watchdog), "the other process does not end");
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited && _isServer)
        {
            _process.StandardInput.Close();
            WaitForExit();
        }
        else if (!_process.HasExited)
        {
            Kill();
        }

        _process.Dispose();
    }

    private void Signal(string name)
    {
        using Process kill = Process.Start("kill", new[] { "-" + name, Id.ToString(System.Globalization.CultureInfo.InvariantCulture) });
        Assert.True(kill.WaitForExit(Eventually.Watchdog));
        Assert.Equal(0, kill.ExitCode);
    }

    private sealed class Stopped : IDisposable
    {
        private readonly PeerProcess _peer;

        public Stopped(PeerProcess peer) => _peer = peer;

        public void Dispose() => _peer.Signal("CONT");
    }
}
