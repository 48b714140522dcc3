using System;
using System.Net;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>A named connection whose rings are full nearly all the time, while everything between its two ends, and these themselves, come and go.</summary>
/// <remarks>Processes that are killed are the affair of <c>tests/storm.sh --kind tcp</c>; here things end in good order, or the network breaks, and much oftener.</remarks>
public sealed class NamedStormTests : TcpTest
{
    private static readonly int s_events = Switches.LongRuns ? 2000 : Switches.FullRuns ? 150 : 40;

    private TcpEntrance? _entrance;
    private TcpExit? _exit;
    private bool _drains;
    private bool _over;
    private int _ended; // of the two

    public NamedStormTests()
    {
        LeavesFiles = true;
        EntranceOptions.Alive = ExitOptions.Alive = TimeSpan.FromMilliseconds(100);
    }

    [Theory]
    [InlineData(1, 4096, 0, false)]
    [InlineData(2, 4096, 100_000, false)]
    [InlineData(3, 16384, 0, true)]
    [InlineData(4, 65536, 1 << 20, false)]
    public void NothingIsLostComesTwiceOrIsChanged(int seed, int ring, int pool, bool tls)
    {
        if (tls)
            TlsTests.Secure(EntranceOptions, ExitOptions);
        if (Switches.LongRuns)
            seed = Environment.TickCount;
        NamedConnectionOptions size = new() { ToServerCapacity = ring, ToClientCapacity = ring, LoanBudget = pool };
        EntranceOptions.NamedConnections = size;
        Random random = new(seed);
        _entrance = TcpEntrance.Open(EntranceOptions);
        EntranceOptions.Endpoint = _entrance.Endpoint;
        BadNetwork network = OpenNetwork(_entrance);
        string address = AddressOf(network);
        _exit = TcpExit.OpenNamed("here", address, ExitOptions);
        Side server = new(seed + 1), client = new(seed + 2);
        server.Peer = client;
        client.Peer = server;
        Background serves = Run(() => Serve(server)), asks = Run(() => Ask(client, size));
        try
        {
            for (int i = 0; i < s_events; i++)
            {
                Thread.Sleep(random.Next(random.Next(3) == 0 ? 200 : 30));
                Happen(random, network, address, random.Next(2) == 0 ? server : client);
            }

            network.LetGo();
            network.CutAfter(int.MaxValue);
            Volatile.Write(ref _drains, true);
            Watchdog.Until(() => Volatile.Read(ref _ended) > 0 || (client.HasAll && server.HasAll), "everything to arrive");
        }
        catch (TimeoutException e)
        {
            throw new TimeoutException($"{e.Message}: seed {seed}, {client} of the client, {server} of the server", e);
        }
        finally
        {
            Volatile.Write(ref _over, true);
            network.LetGo();
            _exit.Dispose();
            _entrance.Dispose();
            asks.Join();
            serves.Join();
        }

        Assert.True(client.Sent > 0 && server.Sent > 0);
    }

    private void Happen(Random random, BadNetwork network, string address, Side side)
    {
        switch (random.Next(8))
        {
            case 0:
                network.Cut();
                break;
            case 1:
            case 2:
                network.CutAfter(random.Next(1, random.Next(2) == 0 ? 1000 : 100_000));
                break;
            case 3:
                network.Hold();
                Thread.Sleep(random.Next(random.Next(4) == 0 ? 600 : 100)); // up to when it is noticed, and longer
                network.LetGo();
                break;
            case 4:
                _exit!.Dispose();
                _exit = TcpExit.OpenNamed("here", address, ExitOptions);
                break;
            case 5:
                _entrance!.Dispose();
                _entrance = TcpEntrance.Open(EntranceOptions);
                break;
            case 6:
                side.IsLazy = !side.IsLazy;
                break;
            default:
                side.Leaves = true;
                break;
        }
    }

    private void Serve(Side side)
    {
        using Ending ends = new(this);
        while (!Volatile.Read(ref _over))
        {
            using NamedListener listener = NamedListener.Open("there");
            NamedConnection? connection = null;
            for (side.Leaves = false; !side.Leaves && !Volatile.Read(ref _over);)
            {
                if (connection is null && listener.TryOpen("trader", out connection))
                    side.Begin(connection!);
                bool isBusy = connection is not null && side.Turn(connection, Volatile.Read(ref _drains));
                if (listener.Next(out NamedEvent e, isBusy ? Deadline.Now : Deadline.FromMilliseconds(2)) != IpcStatus.Ok)
                    continue;
                if (e.Kind == NamedEventKind.Login)
                {
                    if (!ReferenceEquals(connection, e.Connection))
                        side.Begin(e.Connection);
                    connection = e.Connection;
                    connection.Accept();
                }
                else if (e.Kind == NamedEventKind.Readable)
                {
                    if (!side.Turn(e.Connection, Volatile.Read(ref _drains)))
                        Thread.Sleep(1); // lazy: what it does not read is told all the time
                    listener.Return(e.Connection);
                }
            }
        }
    }

    private void Ask(Side side, NamedConnectionOptions size)
    {
        using Ending ends = new(this);
        while (!Volatile.Read(ref _over))
        {
            using NamedConnection connection = NamedConnection.Open("here", "trader", size);
            connection.Changed += (_, change) => side.Reset |= change.Change == NamedChange.Reset;
            side.Begin(connection);
            for (side.Leaves = false; !side.Leaves && !Volatile.Read(ref _over);)
            {
                bool isBusy = side.Turn(connection, Volatile.Read(ref _drains));
                connection.TryConnect(Deadline.FromMilliseconds(isBusy ? 1 : 5));
                if (!isBusy)
                    Thread.Sleep(1);
                Assert.False(side.Reset);
            }
        }
    }

    /// <summary>By itself, or because something was wrong.</summary>
    private sealed class Ending(NamedStormTests test) : IDisposable
    {
        public void Dispose() => Interlocked.Increment(ref test._ended);
    }

    /// <summary>One end: rising numbers out, and what comes in is what the other one has sent, in order; what may have been handled before is marked.</summary>
    private sealed class Side
    {
        private const int MostAtOnce = 20;

        private readonly int _seed;
        private readonly Random _random;
        private long _sent, _handled, _acknowledged, _batched;

        public Side(int seed)
        {
            _seed = seed;
            _random = new Random(seed);
        }

        public Side? Peer { get; set; }

        public bool Reset { get; set; }

        /// <summary>It sends and does not read.</summary>
        public volatile bool IsLazy;

        /// <summary>It is to end, and to come again.</summary>
        public volatile bool Leaves;

        public long Sent => Volatile.Read(ref _sent);

        public long Handled => Volatile.Read(ref _handled);

        public long Acknowledged => Volatile.Read(ref _acknowledged);

        public override string ToString() => $"{Sent} messages, {Peer!.Handled} came, {Peer.Acknowledged} were acknowledged";

        public bool HasAll => Acknowledged == Peer!.Sent;

        /// <summary>What was not published when it left is gone, and its numbers come again.</summary>
        public void Begin(NamedConnection connection)
        {
            Assert.InRange(connection.LastSent, _sent, Math.Max(_sent, _batched)); // a full ring may publish them, too
            Assert.Equal(_acknowledged, connection.LastAcknowledged);
            Volatile.Write(ref _sent, connection.LastSent);
            _batched = 0;
        }

        /// <summary>False: there was nothing to do.</summary>
        public bool Turn(NamedConnection connection, bool drains)
        {
            bool isBusy = false;
            for (int i = drains ? MostAtOnce : _random.Next(MostAtOnce); i < MostAtOnce && Send(connection); i++)
                isBusy = true;
            if (drains || _random.Next(3) == 0)
                Publish(connection);
            for (int i = 0; i < MostAtOnce && (drains || !IsLazy) && connection.TryReceive(out NamedMessage message); i++)
            {
                Check(connection, message);
                isBusy = true;
            }

            long received = connection.LastReceived;
            if (received > connection.LastAcknowledged && (drains || _random.Next(3) == 0))
            {
                long to = drains || _random.Next(2) == 0 ? received : _random.NextInt64(connection.LastAcknowledged + 1, received + 1);
                connection.Acknowledge(to);
                Volatile.Write(ref _acknowledged, to);
            }

            return isBusy;
        }

        private bool Send(NamedConnection connection)
        {
            long number = connection.LastSent + 1;
            byte[] bytes = Bytes(number, connection.MaxPayload);
            if (!connection.TryClaim(bytes.Length, out Span<byte> payload))
            {
                Publish(connection);
                return false;
            }

            bytes.CopyTo(payload);
            Assert.Equal(number, connection.CommitBatched(bytes.Length, (ushort)number));
            _batched = number;
            if (_random.Next(4) == 0)
                Publish(connection);
            return true;
        }

        private void Publish(NamedConnection connection)
        {
            if (_batched == 0)
                return;
            connection.Flush();
            Volatile.Write(ref _sent, _batched);
            _batched = 0;
        }

        private void Check(NamedConnection connection, in NamedMessage message)
        {
            long number = message.Sequence;
            Assert.InRange(number, _acknowledged + 1, _handled + 1);
            Assert.True(number > _handled || message.Redelivered, $"message {number} came again and was not marked");
            Assert.Equal((ushort)number, message.Type);
            Assert.True(message.Payload.SequenceEqual(Peer!.Bytes(number, connection.MaxPayload)), $"message {number} of {message.Payload.Length} bytes is another one");
            Volatile.Write(ref _handled, Math.Max(_handled, number));
        }

        /// <summary>Of that number, on this side, in any life.</summary>
        private byte[] Bytes(long number, int most)
        {
            Random random = new(unchecked(_seed * 1_000_003 + (int)number));
            byte[] bytes = new byte[Math.Min(most, random.Next(20) == 0 ? random.Next(60_000) : random.Next(300))];
            random.NextBytes(bytes);
            return bytes;
        }
    }
}
