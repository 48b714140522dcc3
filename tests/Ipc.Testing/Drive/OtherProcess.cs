using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

namespace Ipc.Testing.Drive;

/// <summary>
/// A program that a test starts: it says a line when it is ready, its input's end is its end if it serves, and its exit code is its verdict. Disposing ends a
/// server in good order, and kills anything else. Nothing that hangs is waited for: <see cref="Watchdog.Patience"/>.
/// </summary>
public sealed partial class OtherProcess : IDisposable
{
    private readonly Process _process;
    private readonly string _name;
    private readonly bool _isServer;

    /// <summary>Starts it. What it says on its error output goes where the test's own goes.</summary>
    public OtherProcess(bool isServer, IReadOnlyDictionary<string, string>? environment, params string[] words)
    {
        _isServer = isServer;
        _name = string.Join(' ', words);
        var start = new ProcessStartInfo(words[0], words[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        foreach ((string name, string value) in environment ?? new Dictionary<string, string>())
            start.Environment[name] = value;
        _process = Process.Start(start) ?? throw new InvalidOperationException($"not started: {_name}");
    }

    public int Id => _process.Id;

    public bool HasEnded => _process.HasExited;

    /// <summary>File descriptors that it has open.</summary>
    public int OpenFiles => Directory.GetFileSystemEntries($"/proc/{Id}/fd").Length;

    /// <summary>A server that is ready.</summary>
    public static OtherProcess Server(params string[] words) => new OtherProcess(true, null, words).WaitUntilReady();

    /// <summary>Returns when it has said that it is ready: the word, or in any words.</summary>
    public OtherProcess WaitUntilReady(string? words = "ready")
    {
        string said = NextLine();
        return words is null || said == words ? this : throw Wrong($"says \"{said}\" instead of \"{words}\"");
    }

    public string NextLine()
    {
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        if (!line.Wait(Watchdog.Patience))
            throw Wrong("says nothing");
        return line.Result ?? throw Wrong("has ended");
    }

    /// <summary>What it says from here to its end.</summary>
    public string Rest() => _process.StandardOutput.ReadToEnd();

    /// <summary>Its input ends, and nothing is waited for.</summary>
    public void CloseInput() => _process.StandardInput.Close();

    /// <summary>Its input ends. Returns its exit code.</summary>
    public int EndInput()
    {
        CloseInput();
        return WaitForExit();
    }

    /// <summary>Waits for its own end, and returns its exit code.</summary>
    public int WaitForExit() => _process.WaitForExit(Watchdog.Patience) ? _process.ExitCode : throw Wrong("does not end");

    /// <summary>Its own end: exit code 0, and what it had to say if not.</summary>
    public void MustEndWell()
    {
        if (WaitForExit() != 0)
            throw Wrong($"ended with {_process.ExitCode}: {Rest()}");
    }

    /// <summary>SIGKILL; returns when it is gone. It must have been alive until then, with nothing to complain of.</summary>
    public void Kill()
    {
        bool hasEnded = _process.HasExited;
        _process.Kill();
        WaitForExit();
        if (hasEnded)
            throw Wrong($"ended by itself: {Rest()}");
    }

    /// <summary>SIGTERM; returns its exit code.</summary>
    public int Terminate()
    {
        Signal(15);
        return WaitForExit();
    }

    /// <summary>SIGSTOP; returns when no thread of it runs. SIGCONT when the result is disposed.</summary>
    public IDisposable Stop()
    {
        Signal(19);
        if (OperatingSystem.IsWindows())
            return new Stopped(this); // the call that does it has stopped them all
        Watchdog.Until(() => Directory.GetDirectories($"/proc/{Id}/task").All(IsStopped), "every thread of the other process to stop");
        return new Stopped(this);
    }

    /// <summary>SIGCONT.</summary>
    public void Continue() => Signal(18);

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            if (_isServer)
                _process.StandardInput.Close();
            if (!_isServer || !_process.WaitForExit(Watchdog.Patience))
                _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }

    private static bool IsStopped(string thread)
    {
        try
        {
            string stat = File.ReadAllText(Path.Combine(thread, "stat"));
            return stat[stat.LastIndexOf(')') + 2] == 'T';
        }
        catch (IOException)
        {
            return true; // it ended between two looks
        }
    }

    private InvalidOperationException Wrong(string what) => new($"{_name} {what}");

    private void Signal(int signal)
    {
        if (OperatingSystem.IsWindows())
            WindowsSignal.Send(_process, signal);
        else if (Kill(Id, signal) != 0)
            throw Wrong($"does not take signal {signal}");
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);

    private sealed class Stopped(OtherProcess process) : IDisposable
    {
        public void Dispose() => process.Continue();
    }
}
