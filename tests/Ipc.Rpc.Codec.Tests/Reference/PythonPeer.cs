using System;
using System.Diagnostics;
using System.IO;
using System.Linq;

namespace Ipc.Rpc.Codec.Tests.Reference;

/// <summary>What a Python program has (codec_peer.py).</summary>
public sealed class PythonPeer : ReferencePeer
{
    public PythonPeer()
        : base(Python() is { } python ? new ProcessStartInfo(python, [Script, Path.Combine(Here(), "..", "Contract", "codec.proto")]) : null)
    {
    }

    public override (int Short, int Long) Rounds => (800, 20_000);

    public override bool EndsAtZero => true;

    private protected override string Absence => "there is no Python with protobuf (Debian: python3-protobuf), or no protoc";

    private static string Script => Path.Combine(Here(), "codec_peer.py");

    /// <summary>The first Python that has it: the one of the path need not be the one that the system's packages are for.</summary>
    private static string? Python()
        => new[] { "python3", "/usr/bin/python3" }.FirstOrDefault(static python =>
        {
            try
            {
                using Process check = Process.Start(new ProcessStartInfo(python, [Script, "--check"]) { RedirectStandardError = true })!;
                check.StandardError.ReadToEnd();
                check.WaitForExit();
                return check.ExitCode == 0;
            }
            catch (System.ComponentModel.Win32Exception)
            {
                return false; // no such program
            }
        });
}
