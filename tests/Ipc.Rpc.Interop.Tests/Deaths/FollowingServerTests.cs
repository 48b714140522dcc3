using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Deaths;

/// <summary>A server whose name the next process takes while it serves: under load no call fails, each is handled once, and the old one ends.</summary>
public sealed class FollowingServerTests
{
    private static readonly int _restarts = Switches.LongRuns ? 100 : Switches.FullRuns ? 20 : 6;

    /// <summary>Every other server is of the other language.</summary>
    [Theory]
    [InlineData(Language.CSharp, Language.CSharp, Language.CSharp)]
    [InlineData(Language.CSharp, Language.Cpp, Language.CSharp)]
    [InlineData(Language.CSharp, Language.Cpp, Language.Cpp)]
    [InlineData(Language.Cpp, Language.Cpp, Language.CSharp)]
    [InlineData(Language.Cpp, Language.Cpp, Language.Cpp)]
    public async Task NoCallFailsAndEachIsHandledOnce(Language servers, Language others, Language clients)
    {
        string name = Repository.NewName();
        string FileOf(int server) => Path.Combine(Path.GetTempPath(), $"{name}.{server}"); // two write at a time
        OtherProcess server = Peer.FollowingServer(servers, name, FileOf(0));
        try
        {
            using OtherProcess client = Peer.RestartedClient(clients, name);
            using RpcClient plain = RpcClient.Connect(name); // it does not wait for a server, and has not to
            using var over = new CancellationTokenSource();
            Task<long> calls = Task.Factory.StartNew(() => CallInTurn(TestsRpc.Client(plain), over.Token), TaskCreationOptions.LongRunning);
            for (int restart = 0; restart < _restarts; restart++)
            {
                string file = FileOf(restart);
                Watchdog.Until(() => new FileInfo(file).Length > 8 * 500, "the server to be called");
                OtherProcess next = Peer.FollowingServer(restart % 2 == 0 ? others : servers, name, FileOf(restart + 1));
                Assert.Equal(0, server.WaitForExit());
                server.Dispose();
                server = next;
            }

            await over.CancelAsync();
            long plainCalls = await calls;
            Assert.Equal(0, client.EndInput());
            string said = client.Rest().Trim();
            Assert.True(said.Split(' ')[1] == "0", "calls, failed calls, and the first of these: " + said);
            Assert.Equal(0, server.EndInput());
            long[] handled = [.. Enumerable.Range(0, _restarts + 1).SelectMany(each => MemoryMarshal.Cast<byte, long>(File.ReadAllBytes(FileOf(each))).ToArray())];
            Assert.Equal([], handled.GroupBy(static number => number).Where(static same => same.Count() > 1).Select(static same => same.Key));
            Assert.Equal(long.Parse(said.Split(' ')[0], CultureInfo.InvariantCulture) + plainCalls, handled.Length);
        }
        finally
        {
            server.Dispose();
            for (int each = 0; each <= _restarts; each++)
                File.Delete(FileOf(each));
        }
    }

    private static long CallInTurn(ITests tests, CancellationToken over)
    {
        long done = 0;
        for (; !over.IsCancellationRequested; done++)
        {
            byte[] number = BitConverter.GetBytes((77L << 40) | done);
            Assert.Equal(number, tests.Echo(new Blob { Data = number }).Data);
        }

        return done;
    }
}
