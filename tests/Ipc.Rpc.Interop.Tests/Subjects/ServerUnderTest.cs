using System;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>A server of tests.v1 in either language: the C# one in this process, so that a test may look into it; the C++ one in its own.</summary>
internal sealed class ServerUnderTest : IDisposable
{
    private readonly RpcServer? _managed;
    private readonly OtherProcess? _native;

    /// <param name="language">Its language.</param>
    /// <param name="sendTimeout">How long the C++ one waits for a client that does not read; a C# server has no such time.</param>
    public ServerUnderTest(Language language, TimeSpan? sendTimeout = null)
    {
        Name = Repository.NewName();
        if (language == Language.CSharp)
            _managed = RpcServer.Start(Name, TestsRpc.Service(Tests = new ManagedTests()));
        else
            _native = Peer.Native("serve", Name, ((int)(sendTimeout ?? TimeSpan.Zero).TotalMilliseconds).ToString(System.Globalization.CultureInfo.InvariantCulture)).WaitUntilReady();
    }

    public string Name { get; }

    /// <summary>The implementation; <see langword="null"/> when it is not C#.</summary>
    public ManagedTests? Tests { get; }

    public bool HasEnded => _managed?.Completion.IsCompleted ?? _native!.HasEnded;

    public void Dispose()
    {
        _managed?.Dispose();
        _native?.Dispose();
    }
}
