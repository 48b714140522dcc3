using System;
using System.Diagnostics;
using System.IO;

namespace Ipc.Tool;

/// <summary>This tool once more, as the other process of doctor and bench. Killed when disposed, if it has not ended by itself.</summary>
internal sealed class PeerProcess : IDisposable
{
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

        start.ArgumentList.Add(PeerVerb.Name);
        start.ArgumentList.Add(role);
        start.ArgumentList.Add(name);
        return new PeerProcess(Process.Start(start) ?? throw new ToolException(ExitCode.Problems, $"{start.FileName} did not start"));
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    /// <summary>The first line that it says: it is there.</summary>
    public bool WaitUntilReady(TimeSpan patience)
    {
        System.Threading.Tasks.Task<string?> line = _process.StandardOutput.ReadLineAsync();
        return line.Wait(patience) && line.Result == PeerVerb.Ready;
    }

    /// <summary>Why it ended, in its own words.</summary>
    public string Complaint() => _process.HasExited ? _process.StandardError.ReadToEnd().Trim() : "it is still running";

    /// <summary>Waits until it has ended by itself, which it does when it was told its last message.</summary>
    public void WaitForEnd(TimeSpan patience) => _process.WaitForExit(patience);

    /// <summary>Ends its input, which is its own orderly end, and waits for it.</summary>
    public void EndByItself(TimeSpan patience)
    {
        _process.StandardInput.Close();
        WaitForEnd(patience);
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
