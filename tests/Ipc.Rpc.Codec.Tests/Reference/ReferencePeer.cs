using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Text;
using Xunit;

namespace Ipc.Rpc.Codec.Tests.Reference;

/// <summary>Another implementation of protobuf in a process of its own: a payload in, the same message written by it out.</summary>
public abstract class ReferencePeer : IDisposable
{
    // A peer that neither answers nor ends has failed. Its end closes the pipes, and so ends the test that waits.
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(10);

    private readonly Process? _process;
    private readonly System.Threading.Timer? _watchdog;
    private readonly BinaryWriter? _to;
    private readonly BinaryReader? _from;

    /// <param name="start">Its program; <see langword="null"/> where it is not there.</param>
    private protected ReferencePeer(ProcessStartInfo? start)
    {
        if (start is null)
            return;
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        start.UseShellExecute = false;
        _process = Process.Start(start)!;
        _to = new BinaryWriter(new BufferedStream(_process.StandardInput.BaseStream, 64 * 1024));
        _from = new BinaryReader(new BufferedStream(_process.StandardOutput.BaseStream, 64 * 1024));
        _watchdog = new System.Threading.Timer(_ => _process.Kill(), null, _patience, System.Threading.Timeout.InfiniteTimeSpan);
    }

    /// <summary>How many mutations it is asked about, by default and in a long run.</summary>
    public abstract (int Short, int Long) Rounds { get; }

    /// <summary>Whether a tag of 0, which is malformed, is the end of a message for it.</summary>
    public virtual bool EndsAtZero => false;

    private protected abstract string Absence { get; }

    /// <summary>The rest of the test is about this implementation: skipped, visibly, where it is not there.</summary>
    public void SkipIfAbsent() => Assert.SkipWhen(_process is null, Absence);

    /// <summary>What it writes after it has read the payload as a message; null when it refused to.</summary>
    public byte[]? Rewrite(string message, ReadOnlySpan<byte> payload)
    {
        byte[] name = Encoding.ASCII.GetBytes(message);
        _to!.Write(name.Length);
        _to.Write(name);
        _to.Write(payload.Length);
        _to.Write(payload);
        _to.Flush();
        return _from!.ReadByte() == 0 ? null : _from.ReadBytes(_from.ReadInt32());
    }

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        if (_process is null)
            return;
        using (_process)
        {
            _to!.Dispose();
            _process.WaitForExit();
            _watchdog!.Dispose();
            Assert.Equal(0, _process.ExitCode);
        }
    }

    internal static string Here([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
