using System;
using Ipc.Core.Tests;
using Ipc.Interop.Tests;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>An entrance whose machine has no room for another region: who comes is told to come again, and is served when there is some.</summary>
public sealed class FullDiskTests : TcpTest
{
    private const string NoDisk = "a tmpfs cannot be mounted here";

    private SmallDisk? Mount()
    {
        SmallDisk? disk = SmallDisk.TryMount(32768);
        Assert.SkipWhen(disk is null, NoDisk);
        Environment.SetEnvironmentVariable("IPC_DIR", disk!.Directory.Path);
        return disk;
    }

    [Fact]
    public void ANamedClientIsNotRefusedAndItsMessagesArriveWhenThereIsRoom()
    {
        using SmallDisk disk = Mount()!;
        using NamedServer server = new("there");
        using TcpEntrance entrance = TcpEntrance.Open(EntranceOptions);
        using TcpExit exit = TcpExit.OpenNamed("here", AddressOf(entrance), ExitOptions);
        using NamedConnection client = NamedConnection.Open("here", "trader", new NamedConnectionOptions { LoanBudget = 1 << 20 });
        for (int i = 1; i <= 5; i++)
            Assert.Equal(i, client.Send(NamedServer.Bytes(i)));
        Watchdog.Until(() => { client.TryConnect(Deadline.FromMilliseconds(50)); return client.Unacknowledged == 0; }, "the acknowledgement");
        using NamedConnection second = NamedConnection.Open("here", "second", new NamedConnectionOptions { LoanBudget = 1 << 20 });
        disk.Fill();
        disk.Drain(40 << 10); // a login takes some; the entrance's region takes more
        for (int i = 1; i <= 5; i++)
            Assert.Equal(i, second.Send(NamedServer.Bytes(i)));
        Assert.NotEqual(IpcStatus.Ok, second.TryConnect(Deadline.FromMilliseconds(500)));
        disk.Drain();
        for (int i = 1; i <= 5; i++)
        {
            Assert.Equal(IpcStatus.Ok, second.Receive(out NamedMessage message, Hang));
            Assert.Equal(i, message.Sequence);
            second.Acknowledge();
        }
    }

    /// <summary>The client's own region is there, the entrance's is not.</summary>
    [Fact]
    public void ACallThatWaitsForItsServerIsMadeWhenThereIsRoom()
    {
        using SmallDisk disk = Mount()!;
        using RpcServer server = RpcServer.Start("there", LedgerRpc.Service(new Ledger()));
        using TcpEntrance entrance = TcpEntrance.Open(EntranceOptions);
        BadNetwork network = OpenNetwork(entrance);
        using TcpExit exit = TcpExit.Open("here", AddressOf(network), ExitOptions);
        network.Hold();
        using RpcClient client = RpcClient.Create("here", new RpcClientOptions { WaitForReady = true, CallTimeout = Watchdog.Patience });
        Background call = Run(() => Assert.Equal(1, LedgerRpc.Client(client).Add("x")));
        Watchdog.Until(() => network.Connections == 1, "the client to come");
        disk.Fill();
        network.LetGo();
        Watchdog.Until(() => network.Connections > 1, "the client to come again");
        disk.Drain();
        call.Join();
    }

    private sealed class Ledger : ILedger
    {
        private int _count;

        public int Read(string what) => _count;

        public int Add(string what) => ++_count;

        public int Book(string what) => Add(what);
    }
}
