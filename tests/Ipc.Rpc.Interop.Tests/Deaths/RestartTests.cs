using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Deaths;

/// <summary>A server that is stopped in good order, and whose successor is another process: under load no call fails, and each is handled once.</summary>
public sealed class RestartTests
{
    private static readonly int _restarts = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? 100 : 20;

    [Theory]
    [InlineData(Language.CSharp, Language.CSharp)]
    [InlineData(Language.CSharp, Language.Cpp)]
    [InlineData(Language.Cpp, Language.CSharp)]
    [InlineData(Language.Cpp, Language.Cpp)]
    public void NoCallFailsAndEachIsHandledOnce(Language servers, Language clients)
    {
        string name = Repository.NewName();
        string file = Path.Combine(Path.GetTempPath(), name);
        OtherProcess server = Peer.RestartedServer(servers, name, file);
        try
        {
            using OtherProcess client = Peer.RestartedClient(clients, name);
            for (int restart = 0; restart < _restarts; restart++)
            {
                long before = new FileInfo(file).Length;
                Watchdog.Until(() => new FileInfo(file).Length > before + 8 * 500, "the server to be called");
                Assert.Equal(0, server.EndInput());
                server.Dispose();
                server = Peer.RestartedServer(servers, name, file);
            }

            Assert.Equal(0, client.EndInput());
            string said = client.Rest().Trim();
            Assert.True(said.Split(' ')[1] == "0", "calls, failed calls, and the first of these: " + said);
            Assert.Equal(0, server.EndInput());
            long[] handled = MemoryMarshal.Cast<byte, long>(File.ReadAllBytes(file)).ToArray();
            Assert.Equal([], handled.GroupBy(static number => number).Where(static same => same.Count() > 1).Select(static same => same.Key));
            Assert.Equal(long.Parse(said.Split(' ')[0], CultureInfo.InvariantCulture), handled.Length);
        }
        finally
        {
            server.Dispose();
            File.Delete(file);
        }
    }
}
