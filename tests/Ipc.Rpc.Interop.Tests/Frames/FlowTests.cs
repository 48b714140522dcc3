using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Interop.Tests.Shapes;
using Ipc.Rpc.Peer.Interop;
using Xunit;
using static Ipc.Rpc.Interop.Tests.Frames.Wire;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>How far both implementations let a stream be ahead, counted by a peer that knows nothing but docs/rpc-protocol.md section 6.</summary>
public sealed class FlowTests
{
    private const long Capacity = 256 * 1024; // of both rings, unless a client says otherwise
    private const long Under = Capacity / 8 * 3; // what may be under way before the last item
    private const long FirstBytes = 65536;

    public static TheoryData<Language> Both => [Language.CSharp, Language.Cpp];

    /// <summary>All streams together leave room in a ring that nobody reads, and go on as soon as somebody says that it was read.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public void StreamsOfAServerLeaveRoomForEverythingElse(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer client = RawPeer.Connect(server.Name);
        for (ulong call = 1; call <= 5; call++)
            client.Send(Ask("Count", call, [.. Number(1, int.MaxValue), .. Number(2, 10_000)], credit: 65535));

        client.Holds = true;
        for (int round = 0; round < 3; round++)
        {
            long read = TakeUntil(client, Under);
            MustBeSilent(client);
            client.LetGo();
            client.Send(Frame(Read, 0, method: (uint)read));
        }
    }

    /// <summary>Items of any size get through: the last one may take more bytes than there were.</summary>
    [Theory]
    [InlineData(Language.CSharp, 1)]
    [InlineData(Language.CSharp, 10_000)]
    [InlineData(Language.CSharp, 100_000)]
    [InlineData(Language.CSharp, 3_000_000)]
    [InlineData(Language.Cpp, 1)]
    [InlineData(Language.Cpp, 10_000)]
    [InlineData(Language.Cpp, 100_000)]
    [InlineData(Language.Cpp, 3_000_000)]
    public void CreditIsCountedInBytes(Language language, int size)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer client = RawPeer.Connect(server.Name);
        client.Send(Ask("Count", 1, [.. Number(1, int.MaxValue), .. Number(2, size)], credit: 65535));
        long left = FirstBytes;
        bool waited = false;
        for (int round = 0; round < 100 && !waited; round++)
        {
            while (left > 0)
            {
                RawPeer.Frame item = Take(client);
                waited |= item.Code == 1;
                left -= Cost(item.Body);
                client.Send(ReadOf(item.Body));
            }

            MustBeSilent(client);
            client.Send(Frame(Credit, 1, deadline: (ulong)(1 - left)));
            left = 1;
        }

        Assert.True(waited, "no item says that its sender had to wait");
    }

    [Theory]
    [InlineData(Language.CSharp, false)]
    [InlineData(Language.CSharp, true)]
    [InlineData(Language.Cpp, false)]
    [InlineData(Language.Cpp, true)]
    public void ACallersStreamKeepsToBytesAndToItsPartOfTheRing(Language language, bool enoughCredit)
    {
        string name = Repository.NewName();
        using Listener listener = Listener.Open(name);
        using var stop = new CancellationTokenSource();
        Task calling = Task.Run(() => Collect(language, name, stop.Token));
        using (RawPeer client = RawPeer.Accept(listener))
        {
            RawPeer.Frame request = client.Receive()!;
            Assert.Equal((Request, ClientStream), (request.Kind, (byte)(request.Flags & ClientStream))); // with a head, too, while somebody listens to traces
            client.Send(Frame(Credit, request.Call, method: 60_000, deadline: enoughCredit ? 1UL << 30 : 0));
            long most = enoughCredit ? Under : FirstBytes;
            client.Holds = true;
            long read = TakeUntil(client, most);
            MustBeSilent(client);
            client.LetGo();
            client.Send(Frame(Read, 0, method: (uint)read));
            client.Send(Frame(Credit, request.Call, deadline: (ulong)(1 + read - FirstBytes)));
            TakeUntil(client, 1);
        }

        stop.Cancel();
        Assert.ThrowsAny<Exception>(() => calling.GetAwaiter().GetResult());
    }

    /// <summary>An item that had to wait for credit, for a consumer that waits for an item: the window was too small for both.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public void AWindowGrowsWhenBothSidesWaitForIt(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer client = RawPeer.Connect(server.Name);
        client.Send(Ask("Collect", 1, null, ClientStream));
        long left = FirstBytes, items = 32; // that a caller may send unasked
        byte[] item = Bytes(1, new byte[100]);
        ulong given;
        var waited = Stopwatch.StartNew();
        do
        {
            while (left <= 0 || items <= 0) // its consumer is behind, or has not begun: what it takes comes back
            {
                Assert.True(waited.Elapsed < Repository.Watchdog, "the window does not grow");
                left += (long)CreditSoFar(client, ref items);
            }

            client.Send(Frame(Item, 1, item, code: 1));
            left -= Cost(item);
            items--;
            given = CreditSoFar(client, ref items);
            left += (long)given;
        }
        while (given < FirstBytes);
    }

    /// <summary>Whoever reads says so, whether or not anybody consumes.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public void ItemsThatNobodyTakesAreSaidToBeRead(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer client = RawPeer.Connect(server.Name);
        client.Send(Ask("Mirror", 1, null, ClientStream, credit: 1)); // its handler takes two, and then waits for credit
        byte[] item = Bytes(1, new byte[3000]); // 20 of them are more than 3/16 of the ring, and no more than the first credit
        for (int i = 0; i < 20; i++)
            client.Send(Frame(Item, 1, item));
        while (client.Receive()! is { Kind: not Read } other)
            Assert.True(other.Kind is Item or Credit, other.ToString());

        byte[] large = Bytes(1, new byte[200_000]);
        client.Send(Frame(Item, 1, large));
        RawPeer.Frame report;
        do
        {
            report = client.Receive()!;
        }
        while (report.Kind != Read);
        Assert.Equal((ulong)(HeaderSize + large.Length), report.Deadline);
    }

    /// <summary>Nobody hears of a one-way call: its stream is neither sent nor taken, and its mistakes are not answered.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public void AOneWayCallHasNoStreams(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer client = RawPeer.Connect(server.Name);
        for (ulong call = 1; call <= 60; call += 2)
        {
            client.Send(Ask("Count", call, [.. Number(1, 3), .. Number(2, 10)], OneWay, credit: 5));
            client.Send(Ask("Collect", call + 1, null, OneWay | ClientStream));
            for (int i = 0; i < 40; i++)
                client.Send(Frame(Item, call + 1, Bytes(1, 1)));
            client.Send(Ask("Echo", 1000 + call, Text(1, "still")));
            RawPeer.Frame frame;
            do
            {
                frame = client.Receive()!;
            }
            while (frame.Kind == Read);
            Assert.True(frame.Kind == Response && frame.Call == 1000 + call, frame.ToString());
            client.Send(Frame(End, call + 1));
        }

        Assert.Equal(0, server.Tests?.Produced ?? 0);
        Assert.Equal(0, server.Tests?.Taken ?? 0);
    }

    private static async Task Collect(Language language, string name, CancellationToken cancel)
    {
        if (language == Language.Cpp)
        {
            using var native = Peer.Native("streams", name, "100000");
            native.MustEndWell();
            return;
        }

        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { AutoReconnect = false }, cancel);
        await TestsRpc.Client(client).CollectAsync(new CountRequest(), Calls.Items(100_000, 20), cancel);
    }

    private static RawPeer.Frame Take(RawPeer client)
    {
        RawPeer.Frame frame = client.Receive()!;
        Assert.True(frame.Kind == Item, frame.ToString());
        return frame;
    }

    private static long TakeUntil(RawPeer client, long bytes)
    {
        long taken = 0;
        while (taken < bytes)
            taken += Cost(Take(client).Body);
        return taken;
    }

    private static byte[] ReadOf(byte[] body)
    {
        bool isLoan = HeaderSize + body.Length > (Capacity / 2) - 8;
        return Frame(Read, 0, method: isLoan ? 64 : (uint)Cost(body), deadline: isLoan ? (ulong)(HeaderSize + body.Length) : 0);
    }

    /// <summary>Nothing comes before the answer to a ping, which nothing keeps from being answered.</summary>
    private static void MustBeSilent(RawPeer client)
    {
        client.Send(Frame(Ping, 0));
        RawPeer.Frame frame = client.Receive()!;
        Assert.True(frame.Kind == Pong, frame.ToString());
    }

    private static ulong CreditSoFar(RawPeer client)
    {
        long items = 0;
        return CreditSoFar(client, ref items);
    }

    private static ulong CreditSoFar(RawPeer client, ref long items)
    {
        ulong given = 0;
        client.Send(Frame(Ping, 0));
        while (client.Receive()! is { Kind: not Pong } frame)
        {
            Assert.True(frame.Kind is Credit or Read, frame.ToString());
            given += frame.Kind == Credit ? frame.Deadline : 0;
            items += frame.Kind == Credit ? frame.Method : 0;
        }
        return given;
    }
}
