using System;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Servers that other users may call. With two users in earnest: tests/users.sh, which has the connections below.</summary>
public sealed class MachineTests : IDisposable
{
    private readonly string _directory = Path.Combine(Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath(), "ipc-machine-" + Guid.NewGuid().ToString("N"));

    public MachineTests() => Environment.SetEnvironmentVariable("IPC_MACHINE_DIR", _directory);

    [Fact]
    public void AServerOfTheMachineIsCalledByItsName()
    {
        Assert.SkipWhen(RuntimeInformation.IsOSPlatform(OSPlatform.Windows), "one user there");
        string name = "machine/" + TestServer.NewName();
        uint? user = null;
        var options = new RpcServerOptions
        {
            Access = Access.Everybody,
            Accept = peer =>
            {
                user = peer.UserId;
                return null;
            },
        };
        using (RpcServer.Start(name, options, TestServiceRpc.Service(new TestService())))
        {
            using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { Access = Access.Everybody });
            Assert.Equal(3, TestServiceRpc.Client(client).Add(1, 2));
            Assert.NotNull(user);
            Assert.Single(Directory.GetFileSystemEntries(_directory)); // the server's: that of the connection is gone
            Assert.Equal([name], SharedStorage.List("machine/").Select(static found => found.Name));
        }

        Assert.Empty(Directory.GetFileSystemEntries(_directory));
    }

    [Fact]
    public void ANameOfItsOwnIsSharedWithNobody()
    {
        string name = TestServer.NewName();
        IpcException e = Assert.Throws<IpcException>(() => RpcServer.Open(name, new RpcServerOptions { Access = Access.Everybody }));
        Assert.Equal(IpcStatus.InvalidArgument, e.Status);
        Assert.Contains("machine/" + name, e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void WhereAllAreOneUserThereIsNoMachine()
    {
        Assert.SkipUnless(RuntimeInformation.IsOSPlatform(OSPlatform.Windows), "there is one here");
        IpcException e = Assert.Throws<IpcException>(() => RpcServer.Open("machine/it"));
        Assert.Equal(IpcStatus.InvalidArgument, e.Status);
    }

    public void Dispose()
    {
        Environment.SetEnvironmentVariable("IPC_MACHINE_DIR", null);
        if (Directory.Exists(_directory))
            Directory.Delete(_directory, recursive: true);
    }
}
