using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Ipc.Testing.Drive;

/// <summary>A program that runs to its end, or is ended with what it has started when its time is up.</summary>
public static class Command
{
    /// <summary>Its exit code, null when it had to be ended, and what it said.</summary>
    public static (int? Code, string Said) Run(int seconds, string folder, IReadOnlyDictionary<string, string> environment, params IReadOnlyList<string> words)
    {
        ProcessStartInfo start = new(words[0])
        {
            WorkingDirectory = folder,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        for (int i = 1; i < words.Count; i++)
            start.ArgumentList.Add(words[i]);
        foreach ((string name, string value) in environment)
            start.Environment[name] = value;
        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"not started: {words[0]}");
        process.StandardInput.Close();
        Task<string> output = process.StandardOutput.ReadToEndAsync(), errors = process.StandardError.ReadToEndAsync();
        bool hasEnded = process.WaitForExit(TimeSpan.FromSeconds(seconds));
        if (!hasEnded)
            process.Kill(entireProcessTree: true);
        process.WaitForExit();
        Task.WaitAll([output, errors], TimeSpan.FromSeconds(10)); // a grandchild may hold them open
        return (hasEnded ? process.ExitCode : null, Text(output) + Text(errors));
    }

    /// <summary>It must end well.</summary>
    public static void Must(int seconds, string folder, IReadOnlyDictionary<string, string> environment, params IReadOnlyList<string> words)
    {
        (int? code, string said) = Run(seconds, folder, environment, words);
        if (code != 0)
            throw new InvalidOperationException($"{string.Join(' ', words)}: {(code is null ? "does not end" : $"exit code {code}")}\n{said}");
    }

    /// <summary>Copies what is in a folder; <paramref name="wanted"/> sees the folders below by their names.</summary>
    public static void Copy(string from, string to, Predicate<string>? wanted = null)
    {
        Directory.CreateDirectory(to);
        foreach (string file in Directory.EnumerateFiles(from))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)), overwrite: true);
        foreach (string folder in Directory.EnumerateDirectories(from))
        {
            if (wanted is null || wanted(Path.GetFileName(folder)))
                Copy(folder, Path.Combine(to, Path.GetFileName(folder)), wanted);
        }
    }

    private static string Text(Task<string> task) => task.IsCompletedSuccessfully ? task.Result : "";
}
