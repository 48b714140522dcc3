using System;
using System.Collections.Concurrent;
using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>The commands of one ring end.</summary>
internal sealed partial class Driver
{
    private readonly BlockingCollection<PeerState> _peerChanges = []; // "tell-peer" is C#'s alone: C waits for changes

    private string? Ring()
    {
        switch (_line.Word(0))
        {
            case "open-writer":
                _objects[_line.Id] = RingWriter.Open(_line.Word(2), RingOptions());
                return "0";
            case "open-reader":
                _objects[_line.Id] = RingReader.Open(_line.Word(2), RingOptions());
                return "0";
            case "claim": return Claim();
            case "extend": return Extend();
            case "fill":
                Content.FillPattern(OpenClaim(), (uint)_line.Long(2));
                return "0";
            case "commit":
                Writer.Commit(_line.Int(2), (ushort)_line.Int(3));
                return "0";
            case "batch":
                Writer.CommitBatched(_line.Int(2), (ushort)_line.Int(3));
                return "0";
            case "flush":
                Writer.Flush();
                return "0";
            case "abandon":
                Writer.Abandon();
                return "0";
            case "trim":
                Writer.TrimLoans();
                return "0";
            case "write": return WritePattern();
            case "read": return ReadOne();
            case "release":
                Reader.Release();
                return "0";
            case "wait": return Status(Reader.Wait(_line.Deadline, CancellationToken.None));
            case "peer": return $"0 state={(int)(Get<object>(_line.Id) is RingWriter w ? w.Peer : Reader.Peer)}";
            case "wait-peer": return WaitForPeer();
            case "tell-peer":
                Reader.PeerChanged += (_, change) => _peerChanges.Add(change.State);
                return "0";
            case "peer-change":
                return _peerChanges.TryTake(out PeerState state, _line.Timeout) ? $"0 state={(int)state}" : Status(IpcStatus.Timeout);
            case "stop": return StopOrResume(true);
            case "resume": return StopOrResume(false);
            case "capacity": return Capacity();
            case "wakes": return $"0 wakes={Writer.Wakes}";
            default: return null;
        }
    }

    private RingOptions RingOptions() => new()
    {
        Capacity = _line.Number("capacity", 1 << 20),
        LoanBudget = RingBudget(),
        WaitMode = _line.WaitMode,
        Access = _line.Access,
        Lifetime = _line.Lifetime,
        OpenTimeout = _line.Timeout,
        OpenMode = _line.Option("open") switch
        {
            null or "any" => OpenMode.OpenOrCreate,
            "create" => OpenMode.CreateNew,
            _ => OpenMode.OpenExisting,
        },
    };

    private string Claim()
    {
        int length = _line.Int(2);
        IpcStatus status;
        if (_line.Waits)
            status = Writer.Claim(length, out _, _line.Deadline);
        else
            status = Writer.TryClaim(length, out _) ? IpcStatus.Ok : IpcStatus.Full;
        if (status == IpcStatus.Ok)
            _claimed = length;
        return Status(status);
    }

    private string Extend()
    {
        int length = _line.Int(2);
        if (!Writer.TryExtendClaim(length, out _))
            return Status(IpcStatus.Full);
        _claimed = length;
        return "0";
    }

    /// <summary>A span cannot be kept from one command to the next: growing a claim to its own length gives it again.</summary>
    private Span<byte> OpenClaim() => Writer.TryExtendClaim(_claimed, out Span<byte> payload)
        ? payload
        : throw new InvalidOperationException("the claim is gone");

    private string WritePattern()
    {
        byte[] bytes = new byte[_line.Int(3)];
        Content.FillPattern(bytes, (uint)_line.Long(2));
        return Status(Writer.Write(bytes, (ushort)_line.Int(4), _line.Deadline, CancellationToken.None));
    }

    private string ReadOne()
    {
        RingRecord record;
        if (_line.Waits)
        {
            IpcStatus status = Reader.Read(out record, _line.Deadline);
            if (status != IpcStatus.Ok)
                return Status(status);
        }
        else if (!Reader.TryRead(out record))
        {
            return Status(IpcStatus.Empty);
        }
        return $"0 type={record.Type} length={record.Payload.Length} hash={Content.Hash(record.Payload)} redelivered={(record.Redelivered ? 1 : 0)}";
    }

    private string WaitForPeer() => Status(Get<object>(_line.Id) is RingWriter writer
        ? writer.WaitForPeer(_line.Deadline, CancellationToken.None)
        : Reader.WaitForPeer(_line.Deadline, CancellationToken.None));

    private string StopOrResume(bool stop)
    {
        switch (Get<object>(_line.Id))
        {
            case RingWriter writer when stop: writer.Stop(); break;
            case RingWriter writer: writer.Resume(); break;
            case RingReader reader when stop: reader.Stop(); break;
            case RingReader reader: reader.Resume(); break;
            case Listener listener when stop: listener.Stop(); break;
            case Listener listener: listener.Resume(); break;
        }
        return "0";
    }

    private string Capacity() => Get<object>(_line.Id) is RingReader reader
        ? $"0 capacity={reader.Capacity}"
        : $"0 capacity={Writer.Capacity} max={Writer.MaxPayload}";
}
