using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc.Interop.Tests.Frames;
using Ipc.Rpc.Peer;
using Xunit;
using static Ipc.Rpc.Interop.Tests.Frames.Wire;

namespace Ipc.Rpc.Interop.Tests.Fuzz;

/// <summary>Mutations of the frames that the tables have: whatever comes, a server answers or closes with a reason, a client's call ends, and nobody else
/// notices. One seed is one conversation; IPC_FUZZ_SEED=n repeats that one alone, IPC_TEST_LONG=1 plays many more.</summary>
public sealed class FrameFuzzTests
{
    private const ulong Probe = 0x70726F6265;

    private static readonly IReadOnlyList<byte[]> _ofClients = [.. ServerRows.All.SelectMany(static row => row.Sent.Take(8)).Where(IsShort)];
    private static readonly IReadOnlyList<byte[]> _ofServers = [.. ClientRows.All.SelectMany(static row => row.Sent(Probe).Take(8)).Where(IsShort)];

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public void AServerAnswersOrClosesWhateverComes(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer bystander = RawPeer.Connect(server.Name);
        foreach (ulong seed in Seeds(shortRun: 300, longRun: 30_000))
        {
            try
            {
                Converse(server.Name, new Mutator(seed, _ofClients));
                bystander.Send(Ask("Echo", seed + 1));
                Assert.True(bystander.Receive() is { Kind: Response }, "another client is not served");
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"seed {seed}: {e.Message}", e);
            }
        }
    }

    [Fact]
    public async Task AClientsCallEndsWhateverComes()
    {
        string[] shapes = ["echo", "count", "collect", "mirror", "steps", "count-late"];
        foreach (ulong seed in Seeds(shortRun: 200, longRun: 10_000))
        {
            var mutator = new Mutator(seed, _ofServers);
            string name = Repository.NewName();
            using Listener listener = Listener.Open(name);
            Task<(string Ended, string Then)> probing = ClientUnderTest.Probe(Language.CSharp, name, shapes[mutator.Next(shapes.Length)]);
            using RawPeer client = RawPeer.Accept(listener);
            bool first = true;
            try
            {
                while (client.Receive() is { } frame)
                {
                    if (frame.Kind != Request)
                        continue;
                    for (int i = first ? mutator.Next(6) : 0; i > 0; i--)
                        client.Send(ForCall(mutator.Next(), frame.Call));
                    first = false;
                    client.Send(Frame(Error, frame.Call, null, code: 10)); // so that no call has a reason to hang
                }
                await probing.WaitAsync(Repository.Watchdog);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"seed {seed}: {e.Message}", e);
            }
        }
    }

    // What the frames asked for is not looked at here; that the last call is answered is.
    private static void Converse(string name, Mutator mutator)
    {
        using RawPeer client = RawPeer.Connect(name);
        for (int i = 1 + mutator.Next(12); i > 0; i--)
            client.Send(Harmless(mutator.Next()));
        client.Send(Ask("Echo", Probe));
        RawPeer.Frame? frame;
        do
            frame = client.Receive();
        while (frame is not null && frame.Call != Probe);
        if (frame is not null)
            return;
        Assert.Equal(CloseCode.Protocol, client.PeerCloseCode);
        Assert.False(string.IsNullOrEmpty(client.PeerCloseText));
    }

    /// <summary>A mutation may ask for items of 2 GiB: that is a right request, and no test.</summary>
    private static byte[] Harmless(byte[] frame)
    {
        uint method = frame.Length < 8 ? 0 : BitConverter.ToUInt32(frame, 4);
        bool asksForSizes = method == MethodId("tests.v1/Count") || method == MethodId("tests.v1/Relay") || method == MethodId("tests.v1/Pull");
        return asksForSizes && frame[0] == Request ? frame[..Math.Min(frame.Length, HeaderSize + 2)] : frame;
    }

    private static byte[] ForCall(byte[] frame, ulong call)
    {
        if (frame.Length < 16 || BitConverter.ToUInt64(frame, 8) != Probe)
            return frame;
        byte[] addressed = [.. frame];
        BitConverter.TryWriteBytes(addressed.AsSpan(8), call);
        return addressed;
    }

    private static bool IsShort(byte[] frame) => frame.Length < 1000;

    private static IEnumerable<ulong> Seeds(int shortRun, int longRun)
    {
        if (Environment.GetEnvironmentVariable("IPC_FUZZ_SEED") is { Length: > 0 } one)
            return [ulong.Parse(one, CultureInfo.InvariantCulture)];
        int count = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? longRun : shortRun;
        return Enumerable.Range(1, count).Select(static seed => (ulong)seed);
    }
}
