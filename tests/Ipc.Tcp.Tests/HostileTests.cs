using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>Whoever can reach the port may send anything: he ends his own connection with it, and nothing else.</summary>
public sealed partial class HostileTests : TcpTest
{
    public HostileTests()
    {
        LeavesFiles = true;
        EntranceOptions.ConnectTimeout = TimeSpan.FromSeconds(3);
    }

    private static Socket Dial(TcpEntrance entrance)
    {
        Socket socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveTimeout = (int)Watchdog.Patience.TotalMilliseconds };
        socket.Connect(entrance.Endpoint);
        return socket;
    }

    private static byte[] Frame(int kind, int type, ReadOnlySpan<byte> bytes)
    {
        byte[] frame = new byte[8 + bytes.Length];
        BinaryPrimitives.WriteInt32LittleEndian(frame, bytes.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(frame.AsSpan(4), (ushort)kind);
        BinaryPrimitives.WriteUInt16LittleEndian(frame.AsSpan(6), (ushort)type);
        bytes.CopyTo(frame.AsSpan(8));
        return frame;
    }

    /// <summary>By docs/tcp-protocol.md, without the library.</summary>
    private static byte[] Hello(bool isNamed, string server = "there", string client = "trader", byte id = 1, ulong sent = 0, ulong received = 0, int newest = 1, uint longest = 1u << 20, byte bound = 0, uint alive = 200)
    {
        System.IO.MemoryStream bytes = new();
        System.IO.BinaryWriter fields = new(bytes);
        void Short(byte[] text)
        {
            fields.Write((ushort)text.Length);
            fields.Write(text);
        }

        fields.Write(0x54435049u);
        fields.Write((ushort)newest);
        fields.Write((ushort)newest);
        fields.Write(isNamed ? 2u : 1u);
        fields.Write(alive);
        fields.Write(longest);
        Short(Text(server));
        Short([]);
        Short([]);
        if (isNamed)
        {
            Short(Text(client));
            Short([]);
            fields.Write([.. Enumerable.Repeat(id, 16)]);
            fields.Write([.. Enumerable.Repeat(bound, 16)]);
            fields.Write(0ul);
            fields.Write(sent);
            fields.Write(received);
        }

        return Frame(1, 0, bytes.ToArray());
    }

    private static (int Kind, int Type, byte[] Bytes) Read(Socket socket)
    {
        byte[] header = ReadExactly(socket, 8);
        return (BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(4)), BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(6)), ReadExactly(socket, BinaryPrimitives.ReadInt32LittleEndian(header)));
    }

    private static byte[] ReadExactly(Socket socket, int count)
    {
        byte[] bytes = new byte[count];
        for (int at = 0; at < count;)
        {
            int some = socket.Receive(bytes, at, count - at, SocketFlags.None);
            if (some == 0)
                throw new System.IO.EndOfStreamException($"{at} of {count} bytes");
            at += some;
        }

        return bytes;
    }

    /// <summary>An entrance whose process has registered addresses is no way to wherever a stranger wants.</summary>
    [Theory]
    [InlineData("ipc:there", false)]
    [InlineData("ipc:there", true)]
    [InlineData("own:there", false)]
    [InlineData("own:there", true)]
    public void AnAddressIsNoServerOfThisMachine(string server, bool isNamed)
    {
        using EchoServer echo = new("there");
        using NamedServer named = new("named");
        int asked = 0;
        AddressScheme.Register("own", (_, client) =>
        {
            Interlocked.Increment(ref asked);
            return client is null ? "there" : "named";
        });
        EntranceOptions.Allows = static _ => true;
        TcpEntrance entrance = OpenEntrance();
        using Socket socket = Dial(entrance);
        socket.Send(Hello(isNamed, server));
        (int kind, int code, byte[] text) = Read(socket);
        Assert.Equal((3, (int)CloseCode.Refused), (kind, code));
        Assert.Contains($"does not lead to \"{server}\"", System.Text.Encoding.UTF8.GetString(text), StringComparison.Ordinal);
        Assert.Equal(0, asked);
    }

    [Fact]
    public void AnExitThatIsWrittenFromTheDocumentIsUnderstood()
    {
        using EchoServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        using Socket socket = Dial(entrance);
        socket.Send(Hello(isNamed: false));
        Assert.Equal(2, Read(socket).Kind);
        socket.Send([.. Frame(4, 9, "one"u8), .. Frame(6, 0, default), .. Frame(4, 10, "two"u8)]);
        (int kind, int type, byte[] bytes) = ReadSkippingAlive(socket);
        Assert.Equal((4, 9, "one"), (kind, type, System.Text.Encoding.UTF8.GetString(bytes)));
        (kind, type, bytes) = ReadSkippingAlive(socket);
        Assert.Equal((4, 10, "two"), (kind, type, System.Text.Encoding.UTF8.GetString(bytes)));
        socket.Send(Frame(5, 1, new byte[8]));
        Assert.Equal(5, ReadSkippingAlive(socket).Kind);
        Watchdog.Until(() => server.Ended.Count == 1 && entrance.Count == 0, "the end");
        Assert.Equal(CloseCode.Normal, server.Ended[0].Code);
    }

    /// <summary>Nobody was logged in, and the server has sent something all the same, which it may: that conversation is not empty.</summary>
    [Fact]
    public void WhatAServerHasSentToAClientThatWasNeverLoggedInStays()
    {
        EntranceOptions.ConnectTimeout = TimeSpan.FromSeconds(1);
        TcpEntrance entrance = OpenEntrance();
        NamedListener silent = Own(NamedListener.Open("there"));
        using (Socket socket = Dial(entrance))
        {
            socket.Send(Hello(isNamed: true, alive: 60_000));
            Assert.Equal(2, Read(socket).Kind);
            Assert.Equal(5, ReadSkippingAlive(socket).Kind); // the server does not answer
            Assert.True(silent.TryOpen("trader", out NamedConnection? there));
            Assert.Equal(1, there!.Send("one"u8));
        }

        silent.Dispose();
        Watchdog.Until(() => entrance.Count == 0, "the way to end");
        using NamedConnection client = NamedConnection.Open("there", "trader");
        Assert.Equal(1, client.LastArrived);
    }

    /// <summary>So that who made calls knows which of them may be made again.</summary>
    [Fact]
    public void AnIdleConnectionIsEndedWithTheNumberOfRecordsThatCame()
    {
        using EchoServer server = new("there");
        EntranceOptions.IdleTimeout = TimeSpan.FromMilliseconds(200);
        TcpEntrance entrance = OpenEntrance();
        using Socket socket = Dial(entrance);
        socket.Send(Hello(isNamed: false, alive: 60_000));
        Assert.Equal(2, Read(socket).Kind);
        for (int i = 0; i < 3; i++)
        {
            socket.Send(Frame(4, 9, "one"u8));
            Assert.Equal(4, ReadSkippingAlive(socket).Kind);
        }

        while (!socket.Poll(20_000, SelectMode.SelectRead))
            socket.Send(Frame(6, 0, default)); // a sign of life is no use of it
        (int kind, int code, byte[] bytes) = ReadSkippingAlive(socket);
        Assert.Equal((5, (int)CloseCode.Shutdown, 3ul), (kind, code, BinaryPrimitives.ReadUInt64LittleEndian(bytes)));
        socket.Shutdown(SocketShutdown.Send);
        Watchdog.Until(() => server.Ended.Count == 1 && entrance.Count == 0, "the end");
    }

    private static (int Kind, int Type, byte[] Bytes) ReadSkippingAlive(Socket socket)
    {
        (int Kind, int Type, byte[] Bytes) frame;
        do
        {
            frame = Read(socket);
        }
        while (frame.Kind == 6);
        return frame;
    }

    [Fact]
    public void ANamedExitThatIsWrittenFromTheDocumentIsUnderstood()
    {
        using NamedServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        byte[] message = [.. BitConverter.GetBytes(1L), .. "hello"u8];
        using (Socket socket = Dial(entrance))
        {
            socket.Send(Hello(isNamed: true, sent: 1));
            (int kind, _, byte[] welcome) = Read(socket);
            Assert.Equal(2, kind);
            Assert.Equal(0, BinaryPrimitives.ReadInt64LittleEndian(welcome.AsSpan(welcome.Length - 8)));
            Assert.Equal(9, ReadSkippingAlive(socket).Kind);
            socket.Send(Frame(7, 9, message));
            socket.Send(Frame(7, 9, message)); // again: it is dropped
            (int Kind, int Type, byte[] Bytes)[] came = [ReadSkippingAlive(socket), ReadSkippingAlive(socket)];
            (_, int type, byte[] answer) = Assert.Single(came, static frame => frame.Kind == 7);
            Assert.Equal(9, type);
            Assert.Equal(message, answer);
            (_, _, byte[] acknowledged) = Assert.Single(came, static frame => frame.Kind == 8);
            Assert.Equal(BitConverter.GetBytes(1L), acknowledged);
        } // without a word, and without an acknowledgement

        using (Socket socket = Dial(entrance))
        {
            socket.Send(Hello(isNamed: true, sent: 1));
            (int kind, _, byte[] welcome) = Read(socket);
            Assert.Equal((2, 1), (kind, BinaryPrimitives.ReadInt64LittleEndian(welcome.AsSpan(welcome.Length - 8)))); // it has message 1
            (int Kind, int Type, byte[] Bytes)[] came = [ReadSkippingAlive(socket), ReadSkippingAlive(socket)];
            Assert.Single(came, static frame => (frame.Kind, frame.Type) == (7, 9)); // and sends its own again, ...
            Assert.Single(came, static frame => frame.Kind == 9);                    // ... whenever the server lets it in
        }

        Assert.Single(server.LogNow(), static line => line.StartsWith("trader", StringComparison.Ordinal));
    }

    /// <summary>Names that nobody uses would fill the machine, one by one.</summary>
    [Fact]
    public void WhoIsRefusedLeavesNothingAndMayComeAgainAtOnce()
    {
        using NamedServer server = new("there") { Decide = static _ => "not you" };
        TcpEntrance entrance = OpenEntrance();
        for (int i = 0; i < 10; i++)
        {
            using Socket first = Dial(entrance), second = Dial(entrance);
            foreach (Socket socket in (Socket[])[first, second]) // the first one stays, and reads no more
            {
                socket.Send(Hello(isNamed: true, client: $"c{i}"));
                Assert.Equal(2, Read(socket).Kind);
                (int kind, int type, byte[] text) = ReadSkippingAlive(socket);
                Assert.Equal((5, 2, "not you"), (kind, type, System.Text.Encoding.UTF8.GetString(text.AsSpan(8))));
            }
        }

        Watchdog.Until(() => entrance.Count == 0, "the refused ones to be gone");
        Assert.Empty(System.IO.Directory.GetFiles(Environment.GetEnvironmentVariable("IPC_DIR")!, "*~~*"));
    }

    /// <summary>To say that one is bound to something is not to be.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhoSaysThatHeIsBoundLeavesNothingEither(bool isThere)
    {
        using NamedServer? server = isThere ? new NamedServer("there") { Decide = static _ => "not you" } : null;
        TcpEntrance entrance = OpenEntrance();
        for (int i = 0; i < 10; i++)
        {
            using Socket socket = Dial(entrance);
            socket.Send(Hello(isNamed: true, client: $"c{i}", bound: 7));
            (int kind, int type, _) = ReadSkippingAlive(socket);
            Assert.Equal((3, isThere ? 2 : 4), (kind, type));
        }

        Watchdog.Until(() => entrance.Count == 0, "the refused ones to be gone");
        Assert.Empty(System.IO.Directory.GetFiles(Environment.GetEnvironmentVariable("IPC_DIR")!, "*~~*"));
    }

    [Fact]
    public void WhatIsNoFrameEndsItsConnectionAlone()
    {
        using EchoServer server = new("there");
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using Connection client = Connect();
        byte[][] starts =
        [
            [], [0], "GET / HTTP/1.1\r\n\r\n"u8.ToArray(), Frame(1, 0, new byte[8192]), Frame(1, 0, default), Frame(4, 0, "early"u8), Frame(99, 0, default), Frame(8, 0, new byte[8]),
            [0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0x7F, 4, 0, 0, 0], Hello(false, server: new string('x', 4000)), Hello(false, server: "../../etc/passwd"), Hello(false, newest: 7),
            [.. Hello(false), .. Hello(false)], [.. Hello(false), .. Frame(2, 0, default)], [.. Hello(false), .. Frame(7, 0, new byte[8])], [.. Hello(false), .. Frame(4, 0, default).AsSpan(0, 7)],
            [.. Hello(false), 0xFF, 0xFF, 0xFF, 0xFF, 4, 0, 0, 0], [.. Hello(false), .. Frame(5, 0, default)], [.. Hello(false), .. Frame(5, 500, new byte[8])], [.. Hello(false), .. Frame(3, 2, default)],
            [.. Hello(true), .. Frame(7, 0, BitConverter.GetBytes(5L))], [.. Hello(true), .. Frame(8, 0, BitConverter.GetBytes(5L))], [.. Hello(true), .. Frame(7, 0, default)],
            [.. Hello(false, longest: 1), .. Frame(99, 0, default)], [.. Hello(true, longest: 1), .. Frame(99, 0, default)], [.. Hello(false, longest: 1), .. Frame(4, 0, "two"u8)],
            Hello(true, client: "../x"), Hello(true, client: ""), Hello(true, id: 0), Hello(true, sent: ulong.MaxValue), Hello(true, received: 77),
        ];
        foreach (byte[] start in starts)
        {
            using Socket socket = Dial(entrance);
            socket.Send(start);
            socket.Shutdown(SocketShutdown.Send);
            byte[] rest = new byte[4096];
            try
            {
                while (socket.Receive(rest) > 0)
                {
                }
            }
            catch (SocketException e)
            {
                Assert.Equal(SocketError.ConnectionReset, e.SocketErrorCode);
            }

            Assert.Equal("hi", Echo(client, "hi"));
        }

        Watchdog.Until(() => entrance.Count == 1, "the hostile ones to be gone");
    }

    [Fact]
    public void WhoConnectsAndSaysNothingGoesAndIsInNobodysWay()
    {
        using EchoServer server = new("there");
        EntranceOptions.MaxConnections = 8;
        TcpEntrance entrance = OpenEntrance();
        Socket[] silent = [.. Enumerable.Range(0, 7).Select(_ => Own(Dial(entrance)))];
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using Connection client = Connect();
        Assert.Equal("hi", Echo(client, "hi"));
        Watchdog.Until(() => entrance.Count == 1, "the silent ones to be gone");
        foreach (Socket socket in silent)
            Assert.True(socket.Poll(0, SelectMode.SelectRead));
    }

    [Fact]
    public void AFloodOfConnectionsIsTurnedAwayAndLeavesNothing()
    {
        using EchoServer server = new("there");
        EntranceOptions.MaxConnections = 4;
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using Connection client = Connect();
        int threads = Process.GetCurrentProcess().Threads.Count;
        Socket[] flood = [.. Enumerable.Range(0, 300).Select(_ => Own(Dial(entrance)))];
        Assert.InRange(entrance.Count, 1, 8);
        Assert.InRange(Process.GetCurrentProcess().Threads.Count, 1, threads + 40);
        Assert.Equal("hi", Echo(client, "hi"));
        Watchdog.Until(() => entrance.Count == 1, "the flood to be gone");
    }

    private static byte[] NamedWelcome(byte id = 1, ulong received = 0) =>
        Frame(2, 0, [1, 0, 200, 0, 0, 0, 0, 0, 16, 0, .. Enumerable.Repeat(id, 16), .. BitConverter.GetBytes(received)]);

    private static byte[] LoggedIn(int reply) => Frame(9, 0, [.. BitConverter.GetBytes((ushort)reply), .. new byte[reply], 1, 0, (byte)'i']);

    /// <summary>It is written in the time that the network takes: between the way and the login.</summary>
    [Fact]
    public void AClientThatWritesItsOwnRegionEndsItsOwnWay()
    {
        using TcpListener entrance = new(System.Net.IPAddress.Loopback, 0);
        entrance.Start();
        Own(TcpExit.OpenNamed("named", $"tcp:127.0.0.1:{((System.Net.IPEndPoint)entrance.LocalEndpoint).Port}/there", ExitOptions));
        using NamedConnection client = NamedConnection.Open("named", "trader");
        for (int round = 0; round < 2; round++) // the exit is there for the second
        {
            using CancellationTokenSource over = new();
            Background asks = Run(() => AskUntil(client, over.Token));
            using Socket socket = Accept(entrance);
            socket.ReceiveTimeout = (int)Watchdog.Patience.TotalMilliseconds;
            Read(socket);
            BindServersSide("named~~trader", isBound: false);
            socket.Send(NamedWelcome());
            Thread.Sleep(100); // the way has begun
            BindServersSide("named~~trader", isBound: true);
            socket.Send(LoggedIn(3));
            Assert.Equal((5, (int)CloseCode.Protocol), FirstClose(socket));
            over.Cancel();
            asks.Join();
        }
    }

    private static void AskUntil(NamedConnection client, CancellationToken over)
    {
        while (!over.IsCancellationRequested)
            _ = client.TryConnect(Deadline.After(TimeSpan.FromMilliseconds(200)), CancellationToken.None);
    }

    private static Socket Accept(TcpListener listener)
    {
        Watchdog.Until(listener.Pending, "the exit to come");
        return listener.AcceptSocket();
    }

    private static (int Kind, int Type) FirstClose(Socket socket)
    {
        for (; ; )
        {
            (int kind, int type, _) = ReadSkippingAlive(socket);
            if (kind == 5)
                return (kind, type);
        }
    }

    /// <summary>By docs/wire-format/named.md.</summary>
    private static void BindServersSide(string name, bool isBound)
    {
        string path = System.IO.Path.Combine(Environment.GetEnvironmentVariable("IPC_DIR")!, name);
        using System.IO.FileStream file = new(path, System.IO.FileMode.Open, System.IO.FileAccess.ReadWrite, System.IO.FileShare.ReadWrite | System.IO.FileShare.Delete);
        byte[] start = new byte[16384];
        file.ReadExactly(start);
        int body = start.AsSpan().IndexOf("NAMD"u8);
        file.Position = body + 312;
        file.Write([.. Enumerable.Repeat((byte)0xAA, 16)]);
        file.Position = body + 292;
        file.Write([(byte)(isBound ? 1 : 0), 0, 0, 0]);
    }

    /// <summary>An entrance, too, may be anybody.</summary>
    [Fact]
    public void AnExitBearsWhateverAnEntranceSays()
    {
        using TcpListener entrance = new(System.Net.IPAddress.Loopback, 0);
        entrance.Start();
        int port = ((System.Net.IPEndPoint)entrance.LocalEndpoint).Port;
        ExitOptions.ConnectTimeout = TimeSpan.FromSeconds(1);
        Own(TcpExit.Open("here", $"tcp:127.0.0.1:{port}/there", ExitOptions));
        Own(TcpExit.OpenNamed("named", $"tcp:127.0.0.1:{port}/there", ExitOptions));
        byte[] welcome = Frame(2, 0, [1, 0, 200, 0, 0, 0, 0, 0, 16, 0]);
        byte[][] answers =
        [
            [], [1, 2, 3], Frame(2, 0, default), Frame(2, 0, new byte[10]), Frame(2, 0, [9, 0, 200, 0, 0, 0, 0, 0, 16, 0]), Frame(3, 2, "go away"u8), Frame(3, 4, "later"u8), Frame(3, 6, ""u8), Frame(3, 999, new byte[1024]),
            Frame(3, 2, new byte[1025]), [.. welcome, .. Frame(7, 0, new byte[8])], [.. welcome, .. Frame(5, 0, default)], [.. welcome, 255, 255, 255, 255, 4, 0, 0, 0], [.. welcome, .. Frame(4, 0, new byte[100]).AsSpan(0, 50)],
            Frame(3, 0, "none"u8), Frame(3, 1, default), Frame(3, 6, Enumerable.Repeat((byte)'x', 500).ToArray()), NamedWelcome(id: 0), [.. NamedWelcome(), .. LoggedIn(1025)], [.. NamedWelcome(), .. LoggedIn(8000)], [.. NamedWelcome(), .. Frame(9, 0, default)], [.. NamedWelcome(), .. LoggedIn(3), .. LoggedIn(3)],
            [.. NamedWelcome(), .. Frame(7, 0, BitConverter.GetBytes(5L))], [.. NamedWelcome(), .. Frame(8, 0, BitConverter.GetBytes(5L))], NamedWelcome(received: 9), [.. NamedWelcome(), .. Frame(7, 0, default)],
            [.. Frame(2, 0, [1, 0, 200, 0, 0, 0, 1, 0, 0, 0]), .. Frame(99, 0, default)],
        ];
        using NamedConnection client = NamedConnection.Open("named", "trader");
        foreach (byte[] answer in answers)
        {
            for (int kind = 0; kind < 2; kind++)
            {
                Background asks = kind == 0
                    ? Run(() =>
                    {
                        try
                        {
                            using Connection connection = Connect();
                            Assert.Equal(IpcStatus.PeerClosed, connection.Reader.Read(out _, Hang));
                        }
                        catch (IpcException e) when (e.Status is IpcStatus.PeerClosed or IpcStatus.Refused)
                        {
                        }
                    })
                    : Run(() =>
                    {
                        try
                        {
                            client.TryConnect(Deadline.After(TimeSpan.FromSeconds(2)));
                        }
                        catch (IpcException e) when (e.Status is IpcStatus.PeerClosed or IpcStatus.Refused)
                        {
                        }
                    });
                Stopwatch since = Stopwatch.StartNew();
                while (!entrance.Pending() && since.Elapsed < TimeSpan.FromSeconds(kind == 0 ? 30 : 2))
                    Thread.Sleep(1);
                if (entrance.Pending())
                {
                    using Socket socket = entrance.AcceptSocket();
                    Read(socket);
                    socket.Send(answer);
                    socket.Shutdown(SocketShutdown.Send);
                    Thread.Sleep(20);
                }

                asks.Join();
            }
        }
    }
}
