using System;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>A storm's worker at a topic; what a reader checks stands in tests/native/storm_topic.c.</summary>
internal sealed class StormTopic
{
    private readonly StormWorker _worker;
    private readonly TopicReader _reader;
    private readonly ulong[] _first; // per sender: what had been tried when we joined: from here on everything is ours
    private readonly bool _lossy;
    private ulong _missing, _told;

    private StormTopic(StormWorker worker, TopicReader reader, bool lossy)
    {
        (_worker, _reader, _lossy) = (worker, reader, lossy);
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
            Persistent = true,
            WaitMode = worker.WaitMode,
        };
        if (role == "receive")
        {
            bool lossy = worker.Seed % 4 == 3;
            using TopicReader reader = TopicReader.Open(worker.Name, options, new TopicReaderOptions { Policy = lossy ? TopicPolicy.Lossy : TopicPolicy.Reliable });
            var storm = new StormTopic(worker, reader, lossy);
            worker.Side.NoteAttached();
            return storm.ReadAll();
        }
        using TopicWriter writer = TopicWriter.Open(worker.Name, options);
        worker.Side.NoteAttached();
        if (role == "send")
            return worker.SendAll((n, onlyAbandon) => Send(writer, n, onlyAbandon));
        if (role != "end")
            return Program.Right;
        IpcStatus status = writer.Publish("end"u8, StormWorker.End, ulong.MaxValue, Deadline.Never);
        return status == IpcStatus.Ok ? Program.Right : Program.Error(status, "");
    }

    private static IpcStatus Send(TopicWriter writer, ulong n, bool onlyAbandon)
    {
        int length = StormWorker.LengthOf(n);
        IpcStatus status = writer.Claim(length, Deadline.Never, CancellationToken.None, out TopicClaim claim);
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
            IpcStatus status = _reader.Read(Deadline.Never, CancellationToken.None, out TopicMessage message);
            if (status != IpcStatus.Ok)
                return Program.Error(status, "");
            bool ended = message.Type == StormWorker.End;
            int result = ended ? Program.Right : Delivered(message);
            CountMissing(ended);
            status = _reader.Release();
            if (result != Program.Right)
                return result;
            if (status != IpcStatus.Ok)
                return Program.Error(status, "");
            if (ended)
                return Program.Right;
        }
    }

    private int Delivered(in TopicMessage message)
    {
        StormSide side = _worker.Side;
        if (!Drive.Content.IsNumbered(message.Payload, out ulong n) || message.Payload.Length != StormWorker.LengthOf(n) || n >> 32 >= side.Workers ||
            message.Key != n >> 32)
        {
            return _worker.Wrong($"{message.Payload.Length} bytes that are none of ours (number {n:x})");
        }
        (ulong sender, ulong i) = (n >> 32, (uint)n);
        ref ulong next = ref _worker.Next(sender);
        side.AddReceived();
        _told += (ulong)message.Lost;
        if (i < next)
        {
            Console.Error.WriteLine($"worker {_worker.Id}: number {n:x} again, it was to be {next:x}");
            side.AddRepeated();
            return Program.Right;
        }
        ulong expected = next != 0 ? next : _first[sender];
        if (i > expected)
        {
            _missing += i - expected;
            if (!_lossy)
                Console.Error.WriteLine($"worker {_worker.Id}: number {n:x}, it was to be {expected:x}");
        }
        next = i + 1;
        return Program.Right;
    }

    private void CountMissing(bool atEnd)
    {
        ulong missing = _missing;
        for (uint s = 0; atEnd && !_lossy && s < _first.Length; s++)
        {
            ulong done = _worker.Side.DoneBy(s), seen = _worker.Next(s) != 0 ? _worker.Next(s) : _first[s];
            missing += done > seen ? done - seen : 0;
        }
        _worker.Side.NoteLost(missing > _told ? missing - _told : 0);
    }
}
