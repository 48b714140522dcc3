using System;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>A storm's worker at a topic; what a reader checks stands in tests/peers/c/storm_topic.c.</summary>
internal sealed class StormTopic
{
    private const int DawdlesEach = 8192;
    private static readonly TimeSpan _patience = TimeSpan.FromMilliseconds(2);
    private readonly StormWorker _worker;
    private readonly TopicReader _reader;
    private readonly ulong[] _first; // per sender: what had been tried when we joined: from here on everything is ours
    private readonly long _base; // the position at which it began
    private long _missing, _told, _toldWith, _last, _delivered, _evictions;
    private long _warned; // by the last eviction, of so many missed
    private readonly bool _isExact = StormWorker.IsExact;

    private StormTopic(StormWorker worker, TopicReader reader)
    {
        (_worker, _reader) = (worker, reader);
        TopicInfo info = reader.GetInfo();
        _base = info.Tail - info.Behind;
        _last = _base - 1;
        _first = new ulong[worker.Side.Workers];
        for (uint s = 0; s < _first.Length; s++)
            _first[s] = worker.Side.TriedBy(s);
    }

    public static int Run(StormWorker worker, string role)
    {
        var options = new TopicOptions
        {
            BlockSize = 128,
            BlockCount = 64,
            MaxReaders = 32,
            MaxWriters = 32,
            LoanBudget = 1 << 20,
            Lifetime = Lifetime.Persistent,
            WaitMode = worker.WaitMode,
        };
        if (role == "receive")
        {
            TopicPolicy policy = (worker.Seed % 8) switch { 3 => TopicPolicy.Lossy, 5 => TopicPolicy.Evict, 7 => TopicPolicy.Latest, _ => TopicPolicy.Reliable };
            using TopicReader reader = TopicReader.Open(worker.Name, options, new TopicReaderOptions { Policy = policy });
            var storm = new StormTopic(worker, reader);
            worker.Side.NoteAttached();
            return storm.ReadAll();
        }
        using TopicWriter writer = TopicWriter.Open(worker.Name, options);
        worker.Side.NoteAttached();
        if (role == "send")
            return worker.SendAll((n, onlyAbandon) => Send(writer, n, onlyAbandon, isPatient: worker.Seed % 2 == 0));
        if (role != "end")
            return Program.Right;
        IpcStatus status = writer.Publish("end"u8, StormWorker.End, ulong.MaxValue, Deadline.Never);
        return status == IpcStatus.Ok ? Program.Right : Program.Error(status, "");
    }

    private static IpcStatus Send(TopicWriter writer, ulong n, bool onlyAbandon, bool isPatient)
    {
        int length = StormWorker.LengthOf(n);
        IpcStatus status;
        TopicClaim claim;
        do
            status = writer.Claim(length, out claim, isPatient ? Deadline.Never : Deadline.After(_patience));
        while (status == IpcStatus.Timeout); // a reliable reader holds it up
        if (status != IpcStatus.Ok)
            return status;
        Drive.Content.FillNumbered(claim.Payload, n);
        if (onlyAbandon)
            claim.Abandon();
        else
            claim.Commit(length, (ushort)(n & 1023), n >> 32);
        return IpcStatus.Ok;
    }

    private int ReadAll()
    {
        while (true)
        {
            IpcStatus status = _reader.Read(out TopicMessage message, Deadline.Never);
            if (status == IpcStatus.Ok)
            {
                bool isOurs = Drive.Content.IsNumbered(message.Payload, out ulong n);
                if (_reader.Policy == TopicPolicy.Evict && _delivered % DawdlesEach == DawdlesEach / 2)
                    Thread.Sleep(5); // else nobody would ever cut it off
                status = _reader.Release(); // only now it is sure that this was what it seemed to be
                if (status == IpcStatus.Ok && message.Type == StormWorker.End)
                    return Ended(message);
                int result = status == IpcStatus.Ok ? Delivered(message, n, isOurs) : Program.Right;
                if (result != Program.Right)
                    return result;
            }
            else if (status == IpcStatus.Evicted)
            {
                _warned = message.Lost;
            }
            if (status == IpcStatus.Evicted && _reader.Policy == TopicPolicy.Evict)
            {
                _evictions++;
                status = _reader.Rejoin();
            }
            if (status != IpcStatus.Ok)
                return Program.Error(status, "");
        }
    }

    private int Delivered(in TopicMessage message, ulong n, bool isOurs)
    {
        StormSide side = _worker.Side;
        if (!isOurs || message.Payload.Length != StormWorker.LengthOf(n) || n >> 32 >= side.Workers || message.Key != n >> 32)
            return _worker.Wrong($"{message.Payload.Length} bytes that are none of ours (number {n:x})");
        (ulong sender, ulong i) = (n >> 32, (uint)n);
        ref ulong next = ref _worker.Next(sender);
        side.AddReceived();
        _delivered++;
        if (i < next)
        {
            Console.Error.WriteLine($"worker {_worker.Id}: number {n:x} again, it was to be {next:x}");
            side.AddRepeated();
            return Program.Right;
        }
        ulong expected = next != 0 ? next : _first[sender];
        long missed = i > expected ? (long)(i - expected) : 0;
        bool isFirst = next == 0;
        _missing += missed;
        next = i + 1;
        return Counted(message, missed, isFirst);
    }

    /// <summary>What this message brings with it; <paramref name="missed"/> numbers of its sender are missing before it.</summary>
    private int Counted(in TopicMessage message, long missed, bool isFirst)
    {
        if (_reader.Policy == TopicPolicy.Reliable)
            return missed == 0 ? Program.Right : _worker.Wrong($"{missed} are missing");
        long told = _reader.Lost + _reader.Conflated, newly = told - _told;
        _told = told;
        _toldWith += message.Lost;
        if (_reader.Policy == TopicPolicy.Latest) // of its own sender; others' numbers show with their messages
            return isFirst || message.Lost <= missed ? Program.Right : TooMany(message, message.Lost, missed);
        long passed = message.Position - _last - 1;
        _last = message.Position;
        if (_reader.Policy == TopicPolicy.Lossy && _toldWith != told)
            return _worker.Wrong($"told of {_toldWith} lost with messages, {told} in all");
        if (newly < _warned || (_isExact && newly != passed))
            return TooFew(message, newly, newly < _warned ? _warned : passed);
        _warned = 0;
        return newly <= passed ? Program.Right : TooMany(message, newly, passed);
    }

    /// <summary>At the end mark, behind everything.</summary>
    private int Ended(in TopicMessage message)
    {
        long missing = _missing;
        for (uint s = 0; s < _first.Length; s++)
        {
            ulong done = _worker.Side.DoneBy(s), seen = _worker.Next(s) != 0 ? _worker.Next(s) : _first[s];
            missing += done > seen ? (long)(done - seen) : 0;
        }
        long told = _reader.Lost + _reader.Conflated, passed = message.Position - _base - _delivered;
        _worker.Side.NoteLost((ulong)Math.Max(0, missing - told));
        if (_reader.Policy == TopicPolicy.Reliable)
            return told == 0 ? Program.Right : TooMany(message, told, 0);
        Console.WriteLine($"worker {_worker.Id}: C#, policy {(int)_reader.Policy}, missing {missing}, told {told}, passed {passed}, evicted {_evictions}");
        if (_isExact && (told != passed || told == 0))
            return TooFew(message, told, Math.Max(1, passed));
        return told <= passed ? Program.Right : TooMany(message, told, passed);
    }

    private int TooMany(in TopicMessage message, long told, long most) =>
        _worker.Wrong($"policy {_reader.Policy} is told of {told} lost at position {message.Position}, at most {most} can be");

    private int TooFew(in TopicMessage message, long told, long least) =>
        _worker.Wrong($"policy {_reader.Policy} is told of {told} lost at position {message.Position}, it should be {least}");
}
