using System;
using System.Collections.Concurrent;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Servers in C++ are killed under load, the broker under clients and servers in C++.</summary>
public sealed class CppStormTests(BrokerProcess broker) : StormTest(broker)
{
    private static int ServerKills => Kills * 5;

    /// <summary>What it has handled it has written down before it answers: what is not there was given to nobody else.</summary>
    [Fact]
    public async Task ServersThatAreKilledLoseNothingAndWhatComesAgainIsMarked()
    {
        Cpp.Require();
        ConcurrentQueue<Farm.Handled> all = new();
        string file = Path.GetTempFileName();
        OtherProcess[] servers = [Cpp.Server(Address, file, "one"), Cpp.Server(Address, file, "two")];
        using CancellationTokenSource over = new();
        Task reading = ReadAsync(file, all, over.Token);
        try
        {
            int next = 0;
            await StormAsync("kills of servers in C++", ServerKills, all, Address, () =>
            {
                int which = next++ % 2;
                servers[which].Kill();
                servers[which].Dispose();
                servers[which] = Cpp.Server(Address, file, which == 0 ? "one" : "two");
            });
        }
        finally
        {
            over.Cancel();
            await reading;
            foreach (OtherProcess server in servers)
                server.Dispose();
            File.Delete(file);
        }
    }

    /// <summary>Each of a client's calls and notes is made until it succeeds.</summary>
    [Fact]
    public async Task TheBrokerIsKilledUnderClientAndServerInCpp()
    {
        Cpp.Require();
        await HaveBrokerAloneAsync();
        using OtherProcess server = Cpp.Server(Address);
        int kills = Switches.LongRuns ? 10 : 1, count = 2000 * (kills + 1);
        using OtherProcess client = Cpp.Client("many", Address, count.ToString(CultureInfo.InvariantCulture));
        for (int kill = 0; kill < kills; kill++)
        {
            await Task.Delay(300, Cancel); // of traffic
            Broker.Kill();
            Broker.Restart();
            Broker.WaitUntilReady();
        }

        string said = client.Rest();
        Assert.True(client.WaitForExit() == 0, said);
        Assert.StartsWith($"made {count}, repeated ", said, StringComparison.Ordinal);
        TestContext.Current.TestOutputHelper!.WriteLine(said);
        ITests tests = (await ConnectAsync()).For<ITests>();
        Watchdog.Until(() => int.Parse(Encoding.UTF8.GetString(tests.Noted(new Blob { Data = [] }).Data), CultureInfo.InvariantCulture) >= count, "every note that was confirmed");
    }

    private static async Task ReadAsync(string file, ConcurrentQueue<Farm.Handled> all, CancellationToken over)
    {
        using StreamReader reader = new(new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        while (true)
        {
            bool isOver = over.IsCancellationRequested;
            while (await reader.ReadLineAsync(CancellationToken.None) is { } line)
            {
                string[] words = line.Split(' ');
                all.Enqueue(new Farm.Handled(words[0], int.Parse(words[1], CultureInfo.InvariantCulture), words[2], words[3] == "1"));
            }

            if (isOver)
                return;
            await Task.Delay(20, CancellationToken.None); // between two looks
        }
    }
}
