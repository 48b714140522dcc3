using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>One side of a named connection's storm: sends rising numbers, checks those that it receives, acknowledges now and then, and is killed.</summary>
internal sealed class NamedWorker : IDisposable
{
    private const int MostAtOnce = 10;

    private readonly NamedNotes _notes;
    private readonly Random _random;
    private ulong _noted;   // sent, and published
    private ulong _batched; // sent, and not published yet
    private bool _isBusy;
    private bool _isLazy; // it sends and does not read: the rings fill up

    private NamedWorker(string notes, string seed)
    {
        _notes = new NamedNotes(notes);
        _random = new Random(int.Parse(seed, CultureInfo.InvariantCulture));
    }

    public void Dispose() => _notes.Dispose();

    public static int RunClient(string server, string client, string notes, string seed)
    {
        using NamedWorker worker = new(notes, seed);
        return worker.Guarded(() => worker.Client(server, client));
    }

    public static int RunServer(string server, string client, string notes, string seed)
    {
        using NamedWorker worker = new(notes, seed);
        return worker.Guarded(() => worker.Server(server, client));
    }

    /// <summary>Before it begins: makes the conversation's region, of that size; for who comes it is there.</summary>
    public static int RunBegin(string server, string client, string ring, string pool)
    {
        NamedConnection.Open(server, client, SizeOf(ring, pool)).Dispose();
        return 0;
    }

    /// <summary>In both directions.</summary>
    public static NamedConnectionOptions SizeOf(string ring, string pool)
    {
        long capacity = long.Parse(ring, CultureInfo.InvariantCulture);
        return new NamedConnectionOptions
        {
            ToServerCapacity = capacity,
            ToClientCapacity = capacity,
            LoanBudget = long.Parse(pool, CultureInfo.InvariantCulture),
        };
    }

    /// <summary>When it is over: removes the conversation, and what a killed server or exit has left. 1: there was none.</summary>
    public static int RunEnd(string server, string client)
    {
        int missing = NamedConnection.Remove(server, client) ? 0 : 1;
        NamedListener.Open(server).Dispose();
        return missing;
    }

    private int Guarded(Func<int> run)
    {
        try
        {
            return run();
        }
        catch (CorruptRegionException error)
        {
            _notes[NamedNotes.Wrong]++;
            Console.Error.WriteLine(error.Message);
            return Program.Failed;
        }
    }

    private int Client(string server, string client)
    {
        using NamedConnection connection = NamedConnection.Open(server, client);
        Begin(connection);
        while (_notes[NamedNotes.Flag] != NamedNotes.End)
        {
            Turn(connection);
            if (_isLazy && !_isBusy)
                Thread.Sleep(1);
            else if (!_isBusy && connection.Receive(out NamedMessage message, Deadline.FromMilliseconds(_random.Next(1, 10))) == IpcStatus.Ok)
                Check(connection, message);
        }

        return Program.Right;
    }

    private int Server(string name, string client)
    {
        using NamedListener listener = NamedListener.Open(name);
        NamedConnection? connection = null;
        while (_notes[NamedNotes.Flag] != NamedNotes.End)
        {
            if (_isLazy && !_isBusy)
                Thread.Sleep(1); // what it does not read is reported all the time
            if (connection is null && listener.TryOpen(client, out connection))
                Begin(connection!);
            if (connection is not null)
                Turn(connection);
            if (listener.Next(out NamedEvent next, _isBusy ? Deadline.Now : Deadline.FromMilliseconds(_random.Next(1, 10))) != IpcStatus.Ok)
                continue;
            if (next.Kind == NamedEventKind.Login)
            {
                if (connection is null)
                    Begin(next.Connection);
                connection = next.Connection;
                connection.Accept();
            }
            else if (next.Kind == NamedEventKind.Readable)
            {
                Turn(next.Connection);
                listener.Return(next.Connection);
            }
        }

        return Program.Right;
    }

    /// <summary>What is there is what the notes say: no more was sent than was tried, and no less than was done.</summary>
    private void Begin(NamedConnection connection)
    {
        ulong sent = (ulong)connection.LastSent, tried = _notes[NamedNotes.Tried], done = _notes[NamedNotes.Sent];
        if (sent < done || sent > Math.Max(tried, done))
        {
            _notes[NamedNotes.Lost]++;
            Console.Error.WriteLine($"{sent} messages were sent, {done} were noted as sent, {tried} as tried");
        }

        if ((ulong)connection.LastAcknowledged < _notes[NamedNotes.Acknowledged])
        {
            _notes[NamedNotes.Wrong]++;
            Console.Error.WriteLine($"{connection.LastAcknowledged} are acknowledged, {_notes[NamedNotes.Acknowledged]} were noted");
        }

        _noted = sent;
    }

    private void Turn(NamedConnection connection)
    {
        _isBusy = false;
        bool drains = _notes[NamedNotes.Flag] == NamedNotes.Drain;
        _isLazy = !drains && _random.Next(100) == 0 ? !_isLazy : _isLazy && !drains;
        if (drains)
            Publish(connection);
        else if (_random.Next(4) != 0)
            Send(connection);
        for (int i = 0; i < MostAtOnce && !_isLazy && connection.TryReceive(out NamedMessage message); i++)
            Check(connection, message);
        if (drains)
            Acknowledge(connection, connection.LastReceived);
        else if (_random.Next(2) == 0 && connection.LastReceived > connection.LastAcknowledged)
            Acknowledge(
                connection,
                _random.Next(2) == 0 ? connection.LastReceived : _random.NextInt64(connection.LastAcknowledged + 1, connection.LastReceived + 1));
    }

    private void Acknowledge(NamedConnection connection, long sequence)
    {
        connection.Acknowledge(sequence);
        _notes[NamedNotes.Acknowledged] = Math.Max(_notes[NamedNotes.Acknowledged], (ulong)sequence);
    }

    private void Send(NamedConnection connection)
    {
        int length = Math.Min(connection.MaxPayload, _random.Next(100) == 0 ? _random.Next(5_000, 40_000) : _random.Next(8, 200));
        ulong number = (ulong)connection.LastSent + 1;
        if (!connection.TryClaim(length, out Span<byte> payload))
        {
            Publish(connection);
            return;
        }

        _isBusy = true;
        BinaryPrimitives.WriteUInt64LittleEndian(payload, number);
        for (int i = sizeof(ulong); i < length; i++)
            payload[i] = (byte)(number + (ulong)i);
        _notes[NamedNotes.Tried] = number;
        if (_random.Next(8) == 0)
        {
            _batched = (ulong)connection.CommitBatched(length);
            return;
        }

        _noted = (ulong)connection.Commit(length);
        _notes[NamedNotes.Sent] = _noted;
        _batched = 0;
    }

    private void Publish(NamedConnection connection)
    {
        if (_batched == 0)
            return;
        connection.Flush();
        _notes[NamedNotes.Sent] = _batched;
        _batched = 0;
    }

    private void Check(NamedConnection connection, in NamedMessage message)
    {
        _isBusy = true;
        ulong sequence = (ulong)message.Sequence;
        if (sequence <= _notes[NamedNotes.Handled] && !message.Redelivered)
        {
            _notes[NamedNotes.Repeated]++;
            Console.Error.WriteLine($"{connection.ClientName}: {sequence} came again and was not marked");
        }

        if (sequence <= _notes[NamedNotes.Acknowledged])
        {
            _notes[NamedNotes.Wrong]++;
            Console.Error.WriteLine($"{connection.ClientName}: {sequence} came again, {_notes[NamedNotes.Acknowledged]} was acknowledged");
        }

        ReadOnlySpan<byte> payload = message.Payload;
        bool right = payload.Length >= sizeof(ulong) && BinaryPrimitives.ReadUInt64LittleEndian(payload) == sequence;
        for (int i = sizeof(ulong); right && i < payload.Length; i++)
            right = payload[i] == (byte)(sequence + (ulong)i);
        if (!right)
        {
            _notes[NamedNotes.Wrong]++;
            Console.Error.WriteLine($"{connection.ClientName}: message {sequence} has the content of another one");
        }

        _notes[NamedNotes.Handled] = Math.Max(_notes[NamedNotes.Handled], sequence);
    }
}
