using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Text;
using Xunit;

namespace Ipc.Rpc.Codec.Tests.Reference;

/// <summary>protoc's C++ classes in a process of their own (tests/native/codec_peer.cpp): a payload in, the same message written by C++ out.</summary>
/// <remarks>The C# reference and the C++ one are two implementations, and a C++ daemon has the second.</remarks>
public sealed class CppPeer : IDisposable
{
    // A peer that neither answers nor ends has failed. Its end closes the pipes, and so ends the test that waits.
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(10);

    private readonly Process? _process;
    private readonly System.Threading.Timer? _watchdog;
    private readonly BinaryWriter? _to;
    private readonly BinaryReader? _from;
    private readonly string _program;

    public CppPeer()
    {
        string build = Environment.GetEnvironmentVariable("IPC_NATIVE_BUILD") is { Length: > 0 } set ? set : Path.Combine(Here(), "..", "..", "..", "build", "native");
        _program = Path.GetFullPath(Path.Combine(build, "tests", "native", "codec_peer"));
        if (!File.Exists(_program))
            return;
        _process = Process.Start(new ProcessStartInfo(_program) { RedirectStandardInput = true, RedirectStandardOutput = true, UseShellExecute = false })!;
        _to = new BinaryWriter(new BufferedStream(_process.StandardInput.BaseStream, 64 * 1024));
        _from = new BinaryReader(new BufferedStream(_process.StandardOutput.BaseStream, 64 * 1024));
        _watchdog = new System.Threading.Timer(_ => _process.Kill(), null, _patience, System.Threading.Timeout.InfiniteTimeSpan);
    }

    /// <summary>The rest of the test is about C++: skipped, visibly, where that is not built.</summary>
    public void SkipIfAbsent() => Assert.SkipWhen(_process is null, $"{_program} is not built (eng/build.sh, or IPC_NATIVE_BUILD)");

    /// <summary>What C++ writes after it has read the payload as a message; null when it refused to.</summary>
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

    private static string Here([CallerFilePath] string path = "") => Path.GetDirectoryName(path)!;
}
