using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Testing.Drive;

/// <summary>A peer process, of either language, that does what the test says line by line.</summary>
/// <remarks>
/// <see cref="Do"/> sends a command and waits for its answer, <see cref="DoAll"/> several; <see cref="Begin"/> sends it and lets the test go on, so that
/// one process can wait while another acts. A peer that does not answer within <see cref="Watchdog.Patience"/> fails the test: nothing here
/// hangs. So a command that must be woken gets a deadline far behind that: one before it would end the wait, find what the wake
/// should have told, and hide that the wake was lost. Disposing kills (SIGKILL), and so does the end of the test process.
/// </remarks>
[SupportedOSPlatform("linux")]
public sealed class Driven : IDisposable
{
    private static readonly HashSet<Driven> _running = [];
    private static readonly System.Text.Encoding Utf8 = new System.Text.UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
    private readonly Process _process;
    private readonly Queue<string> _lines = []; // locked by whoever looks at it or at _hasSaidAll
    private readonly Task<string> _errors;
    private bool _hasSaidAll;

    static Driven() => AppDomain.CurrentDomain.ProcessExit += (_, _) =>
    {
        lock (_running)
        {
            foreach (Driven left in _running)
                left.Signal(SigKill);
        }
    };

    private Driven(Language language, string directory, IReadOnlyList<string> arguments, IReadOnlyDictionary<string, string>? environment, uint? user = null, uint? startedBy = null, uint? group = null, bool hides = false)
    {
        Language = language;
        string[] command = [.. PeerPrograms.Of(language), .. arguments];
        if (user != null)
            command = ["setpriv", $"--ruid={startedBy ?? user}", $"--euid={user}", $"--regid={user}", group is null ? "--clear-groups" : $"--groups={group}", .. command];
        if (hides)
            command = ["unshare", "--mount", "sh", "-c", "mount -t proc -o hidepid=2 proc /proc && exec \"$@\"", "sh", .. command];
        var start = new ProcessStartInfo(command[0])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardInputEncoding = Utf8, // Windows would take the console's
            StandardOutputEncoding = Utf8,
        };
        foreach (string argument in command.AsSpan(1))
            start.ArgumentList.Add(argument);
        start.Environment["IPC_DIR"] = directory;
        start.Environment["IPC_MACHINE_DIR"] = Path.Combine(directory, "machine");
        start.Environment["DOTNET_TieredPGO"] = "0"; // starts sooner
        start.Environment["DOTNET_gcServer"] = "0";
        if (PeerPrograms.NativeHas32Bits)
            start.Environment["IPC_TEST_LOAN_BUDGET"] = "8388608"; // what is created by default has to fit into all peers
        if (environment != null)
        {
            foreach ((string key, string value) in environment)
                start.Environment[key] = value;
        }
        _process = Process.Start(start) ?? throw new InvalidOperationException($"{command[0]} did not start");
        lock (_running)
            _running.Add(this);
        _errors = _process.StandardError.ReadToEndAsync();
        // A thread of its own, which sleeps in the read: tasks took each answer through three threads of the pool, and that was most of what a command costs.
        StreamReader output = _process.StandardOutput; // which outlives the process object
        new Thread(() => Listen(output), maxStackSize: 256 * 1024) { IsBackground = true }.Start();
    }

    public Language Language { get; }

    public int ProcessId => _process.Id;

    /// <summary>Starts a peer that can be told what to do.</summary>
    public static Driven Start(Language language, RegionDirectory directory, IReadOnlyDictionary<string, string>? environment = null) =>
        Start(language, directory.Path, environment);

    public static Driven Start(Language language, string directory, IReadOnlyDictionary<string, string>? environment = null) =>
        Ready(new Driven(language, directory, ["drive"], environment));

    /// <summary>The same as another user; null when that user cannot run the program. HIDES: in a /proc that hides the processes of others from it.</summary>
    public static Driven? TryStartAs(uint user, Language language, string directory, uint? startedBy = null, uint? group = null, bool hides = false, IReadOnlyDictionary<string, string>? environment = null)
    {
        Driven? driven = null;
        try
        {
            driven = new Driven(language, directory, ["drive"], environment, user, startedBy, group, hides);
            return Ready(driven);
        }
        catch (Exception error) when (error is Win32Exception or EndOfStreamException)
        {
            driven?.Dispose();
            return null;
        }
    }

    private static Driven Ready(Driven driven)
    {
        string ready = driven.NextLine();
        return ready == "ready" ? driven : throw new InvalidDataException($"the peer said '{ready}' instead of 'ready'");
    }

    /// <summary>Starts a peer with one of its other verbs; it ends by itself.</summary>
    public static Driven StartVerb(Language language, RegionDirectory directory, params string[] arguments) =>
        new(language, directory.Path, arguments, null);

    /// <summary>Sends a command and waits for its answer.</summary>
    public Answer Do(string command)
    {
        Send(command);
        return Result();
    }

    /// <summary>Sends commands whose order is all that matters, and waits for all the answers: each process is woken once, not once for each command.</summary>
    public Answer[] DoAll(params IReadOnlyCollection<string> commands)
    {
        Send(string.Join('\n', commands), commands.Count);
        return [.. commands.Select(_ => Result())];
    }

    /// <summary>Sends a command and fails unless it answers Ok.</summary>
    public Answer Must(string command)
    {
        Answer answer = Do(command);
        return answer.Status == IpcStatus.Ok
            ? answer
            : throw new InvalidDataException($"{Language}: '{command}' answered '{answer}'");
    }

    /// <summary>Sends a command without waiting; <see cref="Result"/> has its answer later, in order.</summary>
    public Driven Begin(string command)
    {
        Send(command);
        return this;
    }

    /// <summary>The answer to the oldest command that has not been answered yet.</summary>
    public Answer Result()
    {
        var answer = new Answer(NextLine());
        Outstanding--;
        return answer;
    }

    /// <summary>How many commands have been sent whose answer has not been taken.</summary>
    public int Outstanding { get; private set; }

    public bool HasExited => _process.HasExited;

    public bool IsStopped => OperatingSystem.IsWindows() ? WindowsSignal.IsStopped(_process) : State() == 'T';

    /// <summary>Whether an answer lies ready.</summary>
    public bool HasAnswered
    {
        get
        {
            lock (_lines)
                return _lines.Count != 0;
        }
    }

    /// <summary>The next line of output.</summary>
    public string NextLine()
    {
        if (TryNextLine() is { } line)
            return line;
        throw new EndOfStreamException($"{Language} peer {ProcessId} ended with {WaitForExit()} instead of answering. {Errors()}");
    }

    /// <summary>Sends SIGKILL and waits until the process is gone.</summary>
    public void Kill()
    {
        Signal(SigKill);
        WaitForExit();
    }

    /// <summary>Sends SIGSTOP and waits until the process has stopped.</summary>
    public void Stop()
    {
        Signal(SigStop);
        WaitUntilStopped();
    }

    /// <summary>Waits until the process has stopped (state T), which it may do to itself at a fault point.</summary>
    public void WaitUntilStopped() => Watchdog.Until(() => IsStopped, $"{Language} peer {ProcessId} to stop itself");

    /// <summary>Waits until every thread of the process sleeps: whatever it was told has got as far as it can.</summary>
    public void WaitUntilAsleep()
    {
        if (OperatingSystem.IsWindows())
            System.Threading.Thread.Sleep(100); // nothing there says what a thread does
        else
            ThreadStates.UntilAsleep(() => Directory.GetDirectories($"/proc/{ProcessId}/task"), $"{Language} peer {ProcessId} to fall asleep");
    }

    public void Continue() => Signal(SigCont);

    /// <summary>Ends the input, which is an orderly end, and waits for the exit code.</summary>
    public int Finish()
    {
        _process.StandardInput.Close();
        return WaitForExit();
    }

    /// <summary>The exit code, 128 + the signal if a signal ended it.</summary>
    public int WaitForExit()
    {
        if (!_process.WaitForExit(Watchdog.Patience))
            throw new TimeoutException($"{Language} peer {ProcessId} did not end within {Watchdog.Patience}: it hangs");
        return _process.ExitCode;
    }

    /// <summary>Everything it printed until its end.</summary>
    public IReadOnlyList<string> RemainingLines()
    {
        WaitForExit();
        List<string> lines = [];
        while (TryNextLine() is { } line)
            lines.Add(line);
        return lines;
    }

    public string Errors() => _errors.Wait(Watchdog.Patience) ? _errors.Result : "";

    public void Dispose()
    {
        lock (_running)
            _running.Remove(this);
        if (!_process.HasExited)
            Kill();
        _process.Dispose();
    }

    private void Listen(StreamReader output)
    {
        string? line;
        do
        {
            line = output.ReadLine();
            lock (_lines)
            {
                if (line != null)
                    _lines.Enqueue(line);
                else
                    _hasSaidAll = true;
                Monitor.PulseAll(_lines);
            }
        }
        while (line != null);
    }

    /// <summary>Null at the end of its output.</summary>
    private string? TryNextLine()
    {
        lock (_lines)
        {
            for (long began = Stopwatch.GetTimestamp(); _lines.Count == 0 && !_hasSaidAll;)
            {
                TimeSpan left = Watchdog.Patience - Stopwatch.GetElapsedTime(began);
                if (left <= TimeSpan.Zero || !Monitor.Wait(_lines, left))
                    throw new TimeoutException($"{Language} peer {ProcessId} did not answer within {Watchdog.Patience}: it hangs");
            }
            return _lines.TryDequeue(out string? line) ? line : null;
        }
    }

    private void Send(string command, int count = 1)
    {
        Outstanding += count;
        try
        {
            _process.StandardInput.Write(command + "\n");
            _process.StandardInput.Flush();
        }
        catch (IOException)
        {
            throw new EndOfStreamException($"{Language} peer {ProcessId} ended with {WaitForExit()} before '{command}'. {Errors()}");
        }
    }

    private char State() => StateOf($"/proc/{ProcessId}/stat");

    private static char StateOf(string file)
    {
        try
        {
            string stat = File.ReadAllText(file);
            return stat[stat.LastIndexOf(')') + 2];
        }
        catch (IOException)
        {
            return '-'; // gone between two looks
        }
    }

    private const int SigKill = 9, SigCont = 18, SigStop = 19;

    private void Signal(int signal)
    {
        if (OperatingSystem.IsWindows())
        {
            WindowsSignal.Send(_process, signal);
            return;
        }

        if (!_process.HasExited && Kill(_process.Id, signal) != 0 && Marshal.GetLastPInvokeError() != NoSuchProcess)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    private const int NoSuchProcess = 3;

    [DllImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static extern int Kill(int pid, int signal);
}
