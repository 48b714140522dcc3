using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>The other process, in C++: <c>rpc_peer</c> with a verb. Ended by closing its input, or else killed.</summary>
internal sealed class NativePeer : IDisposable
{
    private readonly Process _process;

    public NativePeer(params string[] arguments)
    {
        Assert.True(File.Exists(Repository.NativePeer), $"{Repository.NativePeer} is not built: eng/build.sh builds it");
        var start = new ProcessStartInfo(Repository.NativePeer, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true };
        _process = Process.Start(start)!;
    }

    public int Id => _process.Id;

    public bool HasEnded => _process.HasExited;

    public NativePeer WaitUntilReady()
    {
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        Assert.True(line.Wait(Repository.Watchdog), "the native peer does not get ready");
        Assert.Equal("ready", line.Result);
        return this;
    }

    public void Kill()
    {
        _process.Kill();
        Assert.True(_process.WaitForExit(Repository.Watchdog), "a killed process does not end");
    }

    /// <summary>Its own end: exit code 0, and what it had to say if not.</summary>
    public void MustEndWell()
    {
        Assert.True(_process.WaitForExit(Repository.Watchdog), "the native peer does not end");
        Assert.True(_process.ExitCode == 0, $"exit code {_process.ExitCode}: {_process.StandardOutput.ReadToEnd()}");
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.StandardInput.Close();
            if (!_process.WaitForExit(TimeSpan.FromSeconds(10)))
                _process.Kill();
            _process.WaitForExit();
        }
        _process.Dispose();
    }
}
