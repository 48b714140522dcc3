using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>A process that works round by round: it says "ready", then answers each line with one line.</summary>
/// <remarks>The programs of bench/native and the verbs <c>measure</c> and <c>answer</c> of this one speak it alike. Every answer has a deadline: a process whose peer
/// died may spin for ever.</remarks>
internal sealed class Worker : IDisposable
{
    /// <summary>The wish for a round whose operations are timed one by one.</summary>
    public const string Quantiles = "quantiles";

    /// <summary>In the place of a quantile: the round had too few round trips for it.</summary>
    public const string TooFew = "-";

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly string _what;
    private readonly Process _process;
    private readonly Task<string> _complaints;

    private Worker(string what, Process process)
    {
        _what = what;
        _process = process;
        _complaints = process.StandardError.ReadToEndAsync();
    }

    /// <summary>The process that it works with, where it has not started that itself: it ends after this one.</summary>
    public Worker? Other { get; set; }

    /// <summary>Starts <paramref name="program"/> and waits until it is ready.</summary>
    public static Worker Start(string what, string program, params string[] arguments)
    {
        ProcessStartInfo start = new(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        Worker worker = new(what, Process.Start(start) ?? throw new IOException($"{program} did not start."));
        try
        {
            worker.Expect("ready");
            return worker;
        }
        catch
        {
            worker.Dispose();
            throw;
        }
    }

    /// <summary>Sends a line without waiting for the answer.</summary>
    public void Tell(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
    }

    /// <summary>Sends a line and returns the answer.</summary>
    public string Ask(string line)
    {
        Tell(line);
        return ReadLine();
    }

    /// <summary>Waits until the process has said <paramref name="word"/>.</summary>
    public void Expect(string word)
    {
        string line = ReadLine();
        if (line != word)
            throw new IOException($"{_what}: '{line}' instead of '{word}'.");
    }

    /// <summary>Closes its input, which ends it, and makes sure that it has ended.</summary>
    public void Dispose()
    {
        try
        {
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It ended before: nobody is there to be told.
        }

        if (!_process.WaitForExit(TimeSpan.FromSeconds(10)))
        {
            _process.Kill(entireProcessTree: true);
            _process.WaitForExit();
        }

        _process.Dispose();
        Other?.Dispose();
    }

    private string ReadLine()
    {
        Task<string?> reading = _process.StandardOutput.ReadLineAsync();
        if (!reading.Wait(s_patience))
        {
            _process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{_what}: no answer within {s_patience.TotalSeconds} s.");
        }

        return reading.Result ?? throw new IOException($"{_what} ended: {Complaint()}");
    }

    private string Complaint()
    {
        string text = _complaints.Wait(TimeSpan.FromSeconds(5)) ? _complaints.Result.Trim() : "";
        return text.Length > 0 ? text : "without a word";
    }
}
