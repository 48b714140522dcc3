using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

namespace Ipc.Build.Inputs;

/// <summary>One number for everything that a runner's results depend on: the content of files, this system, and what the environment asks for.</summary>
internal static class InputHash
{
    /// <summary>What a build or a run writes there for itself.</summary>
    private static readonly HashSet<string> Passing = [".git", "CMakeFiles", "TestResults", "Testing", "headers", "obj", "tidy"];

    /// <summary>The kernel, and what the system has installed, libraries that tests load and tools that they start among it: where a system keeps such a list.</summary>
    private static readonly string[] System = ["/proc/version", "/etc/os-release", "/var/lib/dpkg/status", "/lib/apk/db/installed", "/var/lib/rpm/rpmdb.sqlite"];

    /// <summary>What begins like this may change what a test sees: switches of tests, sanitizers and runtimes, the loader and the C library, language, places.</summary>
    private static readonly string[] Asked =
        ["IPC_", "DOTNET_", "COMPlus_", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS=", "LD_", "GLIBC_", "MALLOC_", "LANG", "LC_", "TZ=", "PATH=", "TMPDIR="];

    /// <param name="top">The top of the repository.</param>
    /// <param name="paths">Files, and folders with all that is in them but what was built there: of that only what a path ends in or leads through counts.</param>
    public static string Of(string top, IEnumerable<string> paths)
    {
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Add(hash, $"{RuntimeInformation.OSDescription} {RuntimeInformation.OSArchitecture} {RuntimeInformation.FrameworkDescription} {Environment.ProcessorCount} {Environment.IsPrivilegedProcess}");
        foreach (string variable in Environment.GetEnvironmentVariables().Cast<DictionaryEntry>().Select(static variable => $"{variable.Key}={variable.Value}").Where(IsAsked).Order(StringComparer.Ordinal))
            Add(hash, variable);
        foreach (string file in System.Where(File.Exists))
            Add(hash, file, file);
        foreach (string path in paths.Distinct().Order(StringComparer.Ordinal))
        {
            string full = Path.GetFullPath(Path.Combine(top, path));
            if (!File.Exists(full) && !Directory.Exists(full))
                throw new FileNotFoundException($"no input {path}");
            foreach (string file in (File.Exists(full) ? [full] : FilesBelow(full)).Order(StringComparer.Ordinal))
                Add(hash, Path.GetRelativePath(top, file), file);
        }

        return Convert.ToHexString(hash.GetHashAndReset());
    }

    /// <summary>But what is another one in each run.</summary>
    private static bool IsAsked(string variable) => !variable.StartsWith("IPC_DIR=", StringComparison.Ordinal) && !variable.StartsWith("IPC_TEST_RUN=", StringComparison.Ordinal)
        && Asked.Any(start => variable.StartsWith(start, StringComparison.Ordinal));

    private static IEnumerable<string> FilesBelow(string folder)
    {
        foreach (string file in Directory.EnumerateFiles(folder))
            yield return file;
        foreach (string below in Directory.EnumerateDirectories(folder))
        {
            string name = Path.GetFileName(below);
            if (name == "bin" || Passing.Contains(name) || new DirectoryInfo(below).LinkTarget != null)
                continue;
            foreach (string file in FilesBelow(below))
                yield return file;
        }
    }

    private static void Add(IncrementalHash hash, string name, string file)
    {
        Add(hash, name);
        using FileStream content = File.OpenRead(file);
        hash.AppendData(SHA256.HashData(content));
    }

    private static void Add(IncrementalHash hash, string text)
    {
        hash.AppendData(Encoding.UTF8.GetBytes(text));
        hash.AppendData([0]);
    }
}
