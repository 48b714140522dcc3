using System;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <content>Bytes changed by chance, of an exit and of an entrance. The seed is printed; IPC_FUZZ_SEED=n repeats it. IPC_TEST_LONG=1 plays thirty seeds.</content>
public sealed partial class HostileTests
{
    private const int Rounds = 300;

    public static TheoryData<int> Seeds()
    {
        if (Environment.GetEnvironmentVariable("IPC_FUZZ_SEED") is { Length: > 0 } one)
            return [int.Parse(one, CultureInfo.InvariantCulture)];
        if (!Switches.LongRuns)
            return [11];
        TheoryData<int> seeds = [11];
        for (int i = 1; i < 30; i++)
            seeds.Add(Random.Shared.Next());
        return seeds;
    }

    private static Random Seeded(int seed)
    {
        Console.WriteLine($"IPC_FUZZ_SEED={seed}");
        return new Random(seed);
    }

    /// <summary>Some of the bytes are others, and some of them are missing at the end.</summary>
    private static ReadOnlySpan<byte> Changed(byte[] good, Random random)
    {
        for (int i = random.Next(1, 4); i > 0; i--)
            good[random.Next(good.Length)] = (byte)random.Next(256);
        return good.AsSpan(0, random.Next(good.Length + 1));
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void BytesChangedByChanceEndTheirConnectionAlone(int seed)
    {
        using EchoServer server = new("there");
        using NamedServer named = new("named");
        EntranceOptions.Allows = static _ => true;
        TcpEntrance entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        using Connection client = Connect();
        Random random = Seeded(seed);
        for (int round = 0; round < Rounds; round++)
        {
            byte[] good = round % 2 == 0
                ? [.. Hello(false), .. Frame(4, 1, new byte[100]), .. Frame(4, 2, new byte[5]), .. Frame(5, 1, "12345678bye"u8)]
                : [.. Hello(true, server: "named", client: $"c{round}", sent: 2), .. Frame(7, 1, [.. BitConverter.GetBytes(1L), .. new byte[50]]), .. Frame(7, 1, BitConverter.GetBytes(2L)), .. Frame(5, 1, "12345678bye"u8)];
            using Socket socket = Dial(entrance);
            socket.Send(Changed(good, random));
        }

        Assert.Equal("hi", Echo(client, "hi"));
        Watchdog.Until(() => entrance.Count == 1, "the hostile ones to be gone");
    }

    /// <summary>The same of what an entrance says: each ends the way of the one client that it was said to, and the next one finds a good entrance.</summary>
    [Theory]
    [MemberData(nameof(Seeds))]
    public void BytesChangedByChanceOfAnEntranceEndTheirOwnWay(int seed)
    {
        using TcpListener entrance = new(IPAddress.Loopback, 0);
        entrance.Start();
        string address = $"tcp:127.0.0.1:{((IPEndPoint)entrance.LocalEndpoint).Port}/there";
        Own(TcpExit.Open("here", address, ExitOptions));
        Own(TcpExit.OpenNamed("named", address, ExitOptions));
        Random random = Seeded(seed);
        for (int round = 0; round < Rounds; round++)
        {
            string client = $"c{round}"; // nobody who was sent away before, and has to wait
            bool isOver = false;
            Action asks = round % 2 != 0 ? () => AskAs(client) : ReadToTheEnd;
            Background asking = Run(() =>
            {
                try
                {
                    asks();
                }
                finally
                {
                    Volatile.Write(ref isOver, true);
                }
            });
            while (!Volatile.Read(ref isOver)) // it may come again
            {
                if (entrance.Pending())
                    AnswerByChance(entrance, random);
                else
                    Thread.Sleep(1);
            }

            asking.Join();
        }

        AnswerWell(entrance);
    }

    private static byte[] Welcome => Frame(2, 0, [1, 0, 200, 0, 0, 0, 0, 0, 16, 0]);

    private static byte[] Messages => [.. Frame(7, 1, [.. BitConverter.GetBytes(1L), .. new byte[50]]), .. Frame(7, 1, BitConverter.GetBytes(2L))];

    private static void AnswerByChance(TcpListener entrance, Random random)
    {
        using Socket socket = AcceptHello(entrance, out byte[] hello);
        byte[] good = IsNamed(hello)
            ? [.. NamedWelcome(), .. LoggedIn(3), .. Messages, .. Frame(8, 0, BitConverter.GetBytes(1L)), .. Frame(5, 1, "12345678bye"u8)]
            : [.. Welcome, .. Frame(4, 1, new byte[100]), .. Frame(6, 0, default), .. Frame(4, 2, new byte[5]), .. Frame(5, 1, "12345678bye"u8)];
        try
        {
            socket.Send(Changed(good, random));
            socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            // its client has gone meanwhile
        }
    }

    private static Socket AcceptHello(TcpListener entrance, out byte[] hello)
    {
        Socket socket = Accept(entrance);
        socket.ReceiveTimeout = (int)Watchdog.Patience.TotalMilliseconds;
        hello = Read(socket).Bytes;
        return socket;
    }

    private static bool IsNamed(byte[] hello) => BitConverter.ToUInt32(hello, 8) == 2;

    private static void AnswerWell(TcpListener entrance)
    {
        Background asks = Run(static () =>
        {
            using Connection connection = Connect();
            Assert.Equal("hi", Echo(connection, "hi"));
        });
        using (Socket socket = AcceptWhere(entrance, static hello => !IsNamed(hello)))
        {
            socket.Send(Welcome);
            socket.Send(Frame(4, 5, ReadSkippingAlive(socket).Bytes));
            asks.Join();
        }

        asks = Run(static () =>
        {
            using NamedConnection connection = NamedConnection.Open("named", "good");
            Assert.Equal(IpcStatus.Ok, connection.Receive(out NamedMessage message, Hang));
            Assert.Equal((1, 50), (message.Sequence, message.Payload.Length));
        });
        using (Socket socket = AcceptWhere(entrance, static hello => hello.AsSpan().IndexOf("good"u8) >= 0))
        {
            socket.Send([.. NamedWelcome(), .. LoggedIn(3), .. Messages]);
            asks.Join();
        }
    }

    /// <summary>Not one that was asked for by a client that has gone meanwhile.</summary>
    private static Socket AcceptWhere(TcpListener entrance, Predicate<byte[]> isWanted)
    {
        for (; ; )
        {
            Socket socket = AcceptHello(entrance, out byte[] hello);
            if (isWanted(hello))
                return socket;
            socket.Dispose();
        }
    }

    private static void ReadToTheEnd()
    {
        try
        {
            using Connection connection = Connect();
            IpcStatus status;
            while ((status = connection.Reader.Read(out _, Hang)) == IpcStatus.Ok)
                connection.Reader.Release();
            Assert.Equal(IpcStatus.PeerClosed, status);
        }
        catch (IpcException e) when (e.Status is IpcStatus.PeerClosed or IpcStatus.Refused)
        {
            // its greeting was none
        }
    }

    private static void AskAs(string name)
    {
        using NamedConnection client = NamedConnection.Open("named", name);
        try
        {
            client.TryConnect(Deadline.After(TimeSpan.FromMilliseconds(50)), CancellationToken.None);
            while (client.Receive(out _, Deadline.After(TimeSpan.FromMilliseconds(5))) == IpcStatus.Ok)
                client.Acknowledge();
        }
        catch (IpcException e) when (e.Status is IpcStatus.PeerClosed or IpcStatus.Refused)
        {
            // the same
        }
    }
}
