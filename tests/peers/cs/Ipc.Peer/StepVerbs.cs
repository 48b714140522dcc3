using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ipc.Peer;

/// <summary>
/// A victim of tests/native/support/stepper.c in C#: does one operation, while its main thread is traced, and is killed between any two of its
/// instructions. Who goes on is the test in C of the same name, which has the checks.
/// </summary>
/// <remarks>
/// Before that everything is done once with regions of other names: the runtime compiles a method when it is called first, and what is to be stepped is
/// the library. A write to a ring is some 570 instructions then, the way to the two signals included. The runtime lets its main thread be stepped and killed
/// anywhere; it cannot be forked, so each victim is started anew. Its other threads (and the library's, which watch processes and wait for all) run freely.
/// </remarks>
internal sealed class StepVerbs : IDisposable
{
    private const int Begins = 10, Ended = 12; // SIGUSR1, SIGUSR2
    private const int Length = 100, LongLength = 3000, Blocks = 8, Messages = 21;

    private static readonly TimeSpan _long = TimeSpan.FromMinutes(1);

    /// <summary>What is sent, by its number: made before, for it is no part of an operation.</summary>
    private static readonly byte[][] _short = MessagesOf(Length), _longer = MessagesOf(LongLength);

    private readonly string _prefix;
    private readonly List<IDisposable> _opened = [];
    private RingWriter? _writer;
    private RingReader? _reader;
    private SharedQueue? _queue;
    private TopicWriter? _publisher;
    private TopicReader? _subscriber;
    private SharedMutex? _mutex;
    private SharedSemaphore? _semaphore;
    private SharedEvent? _event;
    private Listener? _listener;
    private Thread? _other;

    /// <summary>What the test in C has of each case: what is there before, what the victim begins with, what happens in between, what it is killed in.
    /// The first and the third are the test's to do; here they are for the rehearsal.</summary>
    private sealed record Case(Action<StepVerbs> Prepare, Action<StepVerbs> Begin, Action<StepVerbs> Between, Action<StepVerbs> Operation);

    private static readonly Dictionary<string, Case> _cases = new()
    {
        ["a_ring_goes_on_whenever_a_writer_dies"] = new(OpenRingReader, WriteTwo, Nothing, static me => me.Write(3, Length)),
        ["a_ring_goes_on_whenever_the_writer_of_a_loan_dies"] = new(OpenRingReader, WriteTwo, Nothing, static me => me.Write(3, LongLength)),
        ["a_ring_goes_on_whenever_the_writer_of_a_batch_dies"] = new(OpenRingReader, WriteTwo, Nothing, WriteABatch),
        ["a_ring_goes_on_whenever_a_reader_dies"] = new(WriteMany, ReadOne, Nothing, static me => me.Read(2)),
        ["a_ring_goes_on_whenever_a_reader_dies_that_returns_space_and_loans"] = new(WriteMany, ReadMany, Nothing, static me => me._reader!.Release()),
        ["a_region_goes_on_whenever_who_makes_or_ends_it_dies"] = new(Nothing, Nothing, Nothing, OpenAndClose),
        ["a_region_goes_on_whenever_who_comes_or_leaves_dies"] = new(OpenRingReader, Nothing, Nothing, OpenAndClose),
        ["a_queue_goes_on_whenever_a_sender_dies"] = new(OpenQueue, SendOne, Nothing, static me => me.Send(2, Length)),
        ["a_queue_goes_on_whenever_the_sender_of_a_loan_dies"] = new(OpenQueue, SendOne, Nothing, static me => me.Send(2, LongLength)),
        ["a_queue_goes_on_whenever_a_receiver_dies"] = new(SendThree, ReceiveOne, Nothing, static me => me.Receive(2)),
        ["a_topic_goes_on_whenever_a_writer_dies"] = new(OpenSubscriber, PublishOne, Nothing, static me => me.Publish(2, Length)),
        ["a_topic_goes_on_whenever_the_writer_of_a_loan_dies"] = new(OpenSubscriber, PublishOne, Nothing, static me => me.Publish(2, LongLength)),
        ["a_topic_goes_on_whenever_a_reliable_reader_dies"] = new(OpenPublisher, OpenSubscriber, PublishSome, static me => me.Take(1)),
        ["a_topic_goes_on_whenever_a_reader_dies_that_joins"] = new(OpenPublisher, Nothing, Nothing, OpenSubscriber),
        ["a_topic_goes_on_whenever_a_reader_dies_that_leaves"] = new(OpenPublisher, OpenSubscriber, PublishSome, static me => me._subscriber!.Dispose()),
        ["a_mutex_goes_on_whenever_who_has_it_dies"] = new(OpenMutex, OpenMutex, Nothing, LockAndUnlock),
        ["a_semaphore_goes_on_whenever_who_has_a_permit_dies"] = new(OpenSemaphore, OpenSemaphore, Nothing, TakeAndGive),
        ["an_event_goes_on_whenever_who_sets_it_dies"] = new(OpenEvent, OpenEvent, Nothing, static me => me._event!.Set()),
        ["a_server_goes_on_whenever_a_client_dies"] = new(Serve, Nothing, Nothing, ConnectAndClose),
        ["clients_go_on_whenever_a_server_dies_that_accepts"] = new(Nothing, Listen, ConnectElsewhere, AcceptOne),
        ["a_name_goes_on_whenever_who_listens_there_dies"] = new(Nothing, Nothing, Nothing, ListenAndClose),
    };

    private StepVerbs(string prefix) => _prefix = prefix;

    public static int Run(string name)
    {
        if (!_cases.TryGetValue(name, out Case? one))
            return Program.BadUsage;
        _ = Raise(0); // no signal: the way to it
        using (StepVerbs rehearsal = new("rehearsal-"))
        {
            one.Prepare(rehearsal);
            one.Begin(rehearsal);
            one.Between(rehearsal);
            one.Operation(rehearsal);
        }

        StepVerbs victim = new("");
        one.Begin(victim);
        _ = Raise(Begins);
        one.Operation(victim);
        _ = Raise(Ended);
        GC.KeepAlive(victim);
        return Program.Right; // without closing anything: the tracer has killed it before
    }

    public void Dispose()
    {
        for (int i = _opened.Count - 1; i >= 0; i--)
            _opened[i].Dispose();
        _other?.Join();
    }

    private static void Nothing(StepVerbs me)
    {
    }

    private static Deadline Soon => Deadline.After(_long);

    /// <summary>A rehearsal leaves nothing.</summary>
    private Lifetime Lifetime => _prefix.Length == 0 ? Lifetime.Default : Lifetime.WhileUsed;

    private T Own<T>(T opened)
        where T : IDisposable
    {
        _opened.Add(opened);
        return opened;
    }

    private static void Must(IpcStatus status)
    {
        if (status != IpcStatus.Ok)
            throw new InvalidOperationException($"{status}");
    }

    private static byte[][] MessagesOf(int length)
    {
        byte[][] messages = new byte[Messages][];
        for (int number = 0; number < messages.Length; number++)
        {
            messages[number] = new byte[length];
            Drive.Content.FillNumbered(messages[number], (ulong)number);
        }

        return messages;
    }

    private static ReadOnlySpan<byte> Message(int number, int length) => (length == Length ? _short : _longer)[number];

    private static void Expect(int number, ReadOnlySpan<byte> payload)
    {
        if (!payload.SequenceEqual(Message(number, payload.Length)))
            throw new InvalidOperationException($"not message {number}");
    }

    // ---- ring ----

    private RingOptions RingOptions => new() { Capacity = 4096, LoanBudget = 1 << 20, Lifetime = Lifetime };

    private static void OpenRingReader(StepVerbs me) => me._reader = me.Own(RingReader.Open(me._prefix + "r", me.RingOptions));

    private static void OpenRingWriter(StepVerbs me) => me._writer = me.Own(RingWriter.Open(me._prefix + "r", me.RingOptions));

    private void Write(int number, int length) => Must(_writer!.Write(Message(number, length), 1, Soon));

    private static void WriteTwo(StepVerbs me)
    {
        OpenRingWriter(me);
        me.Write(1, Length);
        me.Write(2, LongLength);
    }

    private static void WriteABatch(StepVerbs me)
    {
        for (int i = 3; i < 6; i++)
        {
            if (!me._writer!.TryClaim(Length, out Span<byte> payload))
                throw new InvalidOperationException("no room");
            Message(i, Length).CopyTo(payload);
            me._writer.CommitBatched(Length, 1);
        }

        me._writer!.Flush();
    }

    private static void WriteMany(StepVerbs me)
    {
        OpenRingWriter(me);
        for (int i = 1; i <= 20; i++)
            me.Write(i, i % 4 == 0 ? LongLength : Length);
    }

    private void Read(int number)
    {
        Must(_reader!.Read(out RingRecord record, Soon));
        Expect(number, record.Payload);
        _reader.Release();
    }

    private static void ReadOne(StepVerbs me)
    {
        OpenRingReader(me);
        me.Read(1);
    }

    private static void ReadMany(StepVerbs me)
    {
        ReadOne(me);
        for (int i = 2; i <= 12; i++)
        {
            if (!me._reader!.TryRead(out _))
                throw new InvalidOperationException("nothing to read");
        }
    }

    private static void OpenAndClose(StepVerbs me) => RingWriter.Open(me._prefix + "r", me.RingOptions).Dispose();

    // ---- queue ----

    private static void OpenQueue(StepVerbs me) =>
        me._queue = me.Own(SharedQueue.Open(me._prefix + "q", new QueueOptions { BlockSize = 128, BlockCount = Blocks, LoanBudget = 1 << 20, Lifetime = me.Lifetime }));

    private void Send(int number, int length) => Must(_queue!.Send(Message(number, length), 1, Soon));

    private static void SendOne(StepVerbs me)
    {
        OpenQueue(me);
        me.Send(1, Length);
    }

    private static void SendThree(StepVerbs me)
    {
        SendOne(me);
        me.Send(2, LongLength);
        me.Send(3, Length);
    }

    private void Receive(int number)
    {
        Must(_queue!.Receive(out QueueMessage message, Soon));
        Expect(number, message.Payload);
        message.Release();
    }

    private static void ReceiveOne(StepVerbs me)
    {
        OpenQueue(me);
        me.Receive(1);
    }

    // ---- topic ----

    private TopicOptions TopicOptions => new() { BlockSize = 128, BlockCount = Blocks, LoanBudget = 1 << 20, MaxReaders = 2, Lifetime = Lifetime };

    private static void OpenPublisher(StepVerbs me) => me._publisher = me.Own(TopicWriter.Open(me._prefix + "t", me.TopicOptions));

    private static void OpenSubscriber(StepVerbs me) => me._subscriber = me.Own(TopicReader.Open(me._prefix + "t", me.TopicOptions));

    private void Publish(int number, int length) => Must(_publisher!.Publish(Message(number, length), 1, 0, Soon));

    private static void PublishOne(StepVerbs me)
    {
        OpenPublisher(me);
        me.Publish(1, Length);
    }

    private static void PublishSome(StepVerbs me)
    {
        for (int i = 1; i < Blocks; i++)
            me.Publish(i, i == 1 ? LongLength : Length);
    }

    private void Take(int number)
    {
        Must(_subscriber!.Read(out TopicMessage message, Soon));
        Expect(number, message.Payload);
        Must(_subscriber.Release());
    }

    // ---- mutex, semaphore, event ----

    private static void OpenMutex(StepVerbs me) => me._mutex = me.Own(SharedMutex.Open(me._prefix + "m", new SyncOptions { Lifetime = me.Lifetime }));

    private static void LockAndUnlock(StepVerbs me)
    {
        Must(me._mutex!.Acquire(Soon));
        me._mutex.Release();
    }

    private static void OpenSemaphore(StepVerbs me) =>
        me._semaphore = me.Own(SharedSemaphore.Open(me._prefix + "s", new SemaphoreOptions { Permits = 2, Lifetime = me.Lifetime }));

    private static void TakeAndGive(StepVerbs me)
    {
        Must(me._semaphore!.Acquire(Soon));
        me._semaphore.Release();
    }

    private static void OpenEvent(StepVerbs me) => me._event = me.Own(SharedEvent.Open(me._prefix + "e", new EventOptions { Lifetime = me.Lifetime }));

    // ---- listener ----

    private static void Listen(StepVerbs me) => me._listener = me.Own(Listener.Open(me._prefix + "l", new ListenerOptions { MaxConnections = 2 }));

    private static void AcceptOne(StepVerbs me)
    {
        Must(me._listener!.Next(out ListenerEvent e, Soon));
        e.Connection.Accept();
    }

    private static void ListenAndClose(StepVerbs me) => Listener.Open(me._prefix + "l", new ListenerOptions { MaxConnections = 2 }).Dispose();

    private static void ConnectAndClose(StepVerbs me) => Connection.Connect(me._prefix + "l").Dispose();

    private static void ConnectElsewhere(StepVerbs me)
    {
        me._other = new Thread(() => Connection.Connect(me._prefix + "l", new ConnectOptions { Deadline = Soon }).Dispose());
        me._other.Start();
    }

    /// <summary>One client, until it has gone.</summary>
    private static void Serve(StepVerbs me)
    {
        Listen(me);
        me._other = new Thread(() =>
        {
            AcceptOne(me);
            _ = me._listener!.Next(out _, Soon); // closed; or the rehearsal is over
        });
        me._other.Start();
    }

    [DllImport("libc", EntryPoint = "raise")]
    private static extern int Raise(int signal);
}
