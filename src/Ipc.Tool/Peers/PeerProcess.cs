using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Ipc.Tool;

/// <summary>This tool once more, as the other process of doctor and bench. Killed when disposed, if it has not ended by itself.</summary>
internal sealed class PeerProcess : IDisposable
{
    /// <summary>How it is started, and what it says when it can be used.</summary>
    public const string Verb = "__peer", Ready = "ready";

    /// <summary>For its start and for its end: a watchdog, so long that a busy machine does not pass for a broken one.</summary>
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);

    private readonly Process _process;

    private PeerProcess(Process process) => _process = process;

    public static PeerProcess Start(string role, string name)
    {
        var start = new ProcessStartInfo { RedirectStandardInput = true, RedirectStandardError = true, RedirectStandardOutput = true };
        string program = Environment.ProcessPath ?? throw new ToolException(ExitCode.Problems, "this process does not know its own program");
        string assembly = Path.Combine(AppContext.BaseDirectory, typeof(PeerProcess).Assembly.GetName().Name + ".dll");
        bool isTool = Path.GetFileNameWithoutExtension(program) == "ipc";
        start.FileName = isTool ? program : "dotnet";
        if (!isTool)
        {
            if (Path.GetFileNameWithoutExtension(program) == "dotnet")
                start.FileName = program;
            start.ArgumentList.Add("exec");
            start.ArgumentList.Add(assembly);
        }

        start.ArgumentList.Add(Verb);
        start.ArgumentList.Add(role);
        start.ArgumentList.Add(name);
        return new PeerProcess(Process.Start(start) ?? throw new ToolException(ExitCode.Problems, $"{start.FileName} did not start"));
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    /// <summary>Waits for the first line that it says: it is there. Null; or why it is not, in its own words if it has any.</summary>
    public string? WaitUntilReady()
    {
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        if (!line.Wait(s_timeout))
            return $"the other process ({_process.Id}) was not ready after {s_timeout.TotalSeconds} s";
        if (line.Result == Ready)
            return null;
        if (line.Result is { } other)
            return $"the other process ({_process.Id}) said \"{other}\" instead of \"{Ready}\"";
        string words = _process.StandardError.ReadToEnd().Trim(); // until it has ended, and it has closed its output already
        WaitForEnd();
        return words.Length != 0 ? words : $"the other process ({_process.Id}) ended without a word";
    }

    /// <summary>Waits until it has ended by itself, which it does when it was told its last message.</summary>
    public void WaitForEnd() => _process.WaitForExit(s_timeout);

    /// <summary>Ends its input, which is its own orderly end, and waits for it.</summary>
    public void EndByItself()
    {
        _process.StandardInput.Close();
        WaitForEnd();
    }

    /// <summary>Ends it, and waits for that: what it was a participant of must not outlive the caller's own end of it.</summary>
    public void Dispose()
    {
        try
        {
            if (!_process.HasExited)
                _process.Kill();
            _process.WaitForExit();
        }
        catch (InvalidOperationException)
        {
            // It has ended in this moment: that was the wish.
        }

        _process.Dispose();
    }
}
