using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Interop.Tests.Shapes;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Deaths;

/// <summary>A server that is killed while it ends in good order: what a client says of a call is true all the same. Answered is what was handled, once; unsent is what nobody
/// has handled.</summary>
public sealed class RestartKillTests
{
    private const int Killed = 128 + 9;
    private const string Word = "connection.close.word";

    private static readonly int _rounds = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? 50 : 3;

    /// <summary>While it drains: it has a call that does not end, answers what it has, and refuses the rest.</summary>
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public async Task KilledWhileItDrains(Language language)
    {
        await Round(language, null, holds: true, static (server, calls) =>
        {
            Watchdog.Until(() => calls.Unsent > 50, "calls to be refused");
            server.Kill();
        });
    }

    /// <summary>When it has told the first of its clients how far it has come, or the second, and nobody else.</summary>
    [Theory]
    [InlineData(Language.CSharp, 1)]
    [InlineData(Language.CSharp, 2)]
    [InlineData(Language.Cpp, 1)]
    [InlineData(Language.Cpp, 2)]
    public async Task KilledAtItsLastWord(Language language, int which)
    {
        for (int round = 0; round < _rounds; round++)
            await Round(language, Word + ":" + which, holds: false, static (server, _) => Assert.Equal(Killed, server.WaitForExit()));
    }

    /// <summary>Before that, wherever it is.</summary>
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public async Task KilledBeforeItsLastWord(Language language)
    {
        var random = new Random(4711);
        for (int round = 0; round < _rounds; round++)
        {
            await Round(language, null, holds: false, (server, _) =>
            {
                Thread.SpinWait(random.Next(200_000));
                if (!server.HasEnded)
                    server.Kill();
            });
        }
    }

    private static async Task Round(Language language, string? fault, bool holds, Action<OtherProcess, CountedCalls> kill)
    {
        string name = Repository.NewName();
        string file = Path.Combine(Path.GetTempPath(), name);
        using OtherProcess server = Peer.RestartedServer(language, name, file, fault, isSlow: true);
        RpcClient[] clients = [.. Enumerable.Range(0, 3).Select(_ => RpcClient.Connect(name, new RpcClientOptions { AutoReconnect = false }))];
        try
        {
            var calls = new CountedCalls();
            Task held = holds ? TestsRpc.Client(clients[0]).SleepAsync(new SleepRequest { Ms = 600_000 }) : Task.CompletedTask;
            foreach (RpcClient client in clients)
            {
                calls.CallInTurn(client, until: () => server.HasEnded);
                calls.CallInTurn(client, until: () => server.HasEnded);
                calls.CallInBursts(client, 64, 200, until: () => server.HasEnded);
            }

            Watchdog.Until(() => calls.Answered > 300, "calls to be answered");
            server.CloseInput();
            kill(server, calls);
            await calls.Over();
            calls.Check(File.ReadAllBytes(file));
            if (holds)
                Assert.False((await Assert.ThrowsAsync<RpcCallException>(() => held.InTime())).IsUnsent, "it was being handled");
        }
        finally
        {
            foreach (RpcClient client in clients)
                client.Dispose();
            File.Delete(file);
        }

        Listener.Open(name).Dispose(); // killed when its last client has left, a server leaves its region to the next one
    }
}
