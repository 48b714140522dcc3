using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Interop.Tests.Frames;
using Ipc.Rpc.Peer;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Deaths;

/// <summary>Many clients of both languages connect to one server, call in every shape, and are killed at random: the server goes on, and keeps nothing of them,
/// neither files nor handles nor memory.</summary>
public sealed class ClientStormTests
{
    private const int AtOnce = 4;
    private static readonly int _clients = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? 1000 : 100;

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public async Task AServerKeepsNothingOfTheDead(Language language)
    {
        string name = Repository.NewName();
        using OtherProcess server = Peer.Server(language, name);
        var random = new Mutator(28, []);
        await Wave(name, random, AtOnce, managed: true); // what is made once is there
        string[] files = await Settled(name, server, int.MaxValue);
        int handles = server.OpenFiles;
        long memory = Resident(server.Id);
        for (int killed = 0; killed < _clients; killed += AtOnce)
            await Wave(name, random, AtOnce, managed: killed % 20 == 0);

        Assert.Equal(files, await Settled(name, server, handles));
        Assert.InRange(Resident(server.Id), 0, memory + (64 << 20));
        using RawPeer last = RawPeer.Connect(name);
        last.Send(Wire.Ask("Echo", 1));
        Assert.Equal(Wire.Response, last.Receive()!.Kind);
    }

    private static async Task Wave(string name, Mutator random, int count, bool managed)
    {
        Task[] clients = [.. Enumerable.Range(0, count).Select(i => Killed(managed && i == 0 ? Language.CSharp : Language.Cpp, name, random.Next(20)))];
        await Task.WhenAll(clients).WaitAsync(Repository.Watchdog);
    }

    private static async Task Killed(Language language, string name, int afterMs)
    {
        using OtherProcess client = await Task.Run(() => Peer.Storm(language, name));
        await Task.Delay(afterMs); // any moment will do
        client.Kill();
    }

    /// <summary>Waits until the server has noticed all deaths; what files there are of its name then.</summary>
    private static async Task<string[]> Settled(string name, OtherProcess server, int handles)
    {
        string directory = Environment.GetEnvironmentVariable("IPC_DIR")!;
        var patience = Stopwatch.StartNew();
        while (true)
        {
            string[] files = [.. Directory.GetFileSystemEntries(directory, name + "*").Order(StringComparer.Ordinal)];
            if (files.Length <= 1 && server.OpenFiles <= handles)
                return files;
            Assert.True(patience.Elapsed < Repository.Watchdog, $"{server.OpenFiles} handles of {handles}, files: {string.Join(' ', files)}");
            await Task.Delay(5, CancellationToken.None); // between two looks
        }
    }

    private static long Resident(int process)
    {
        using Process seen = Process.GetProcessById(process);
        return seen.WorkingSet64;
    }
}
