using System;
using System.Diagnostics;
using System.IO;

namespace Ipc.Rpc.Codec.Tests.Reference;

/// <summary>protoc's C++ classes (tests/peers/cpp/codec_peer.cpp): what a C++ daemon has.</summary>
public sealed class CppPeer : ReferencePeer
{
    public CppPeer()
        : base(File.Exists(Program) ? new ProcessStartInfo(Program) : null)
    {
    }

    public override (int Short, int Long) Rounds => (6_000, 200_000);

    private protected override string Absence => $"{Program} is not built (eng/build.sh, or IPC_NATIVE_BUILD)";

    private static string Program
    {
        get
        {
            string build = Environment.GetEnvironmentVariable("IPC_NATIVE_BUILD") is { Length: > 0 } set ? set : Path.Combine(Here(), "..", "..", "..", "build", "native");
            return Path.GetFullPath(Path.Combine(build, "tests", "native", "codec_peer"));
        }
    }
}
