using System;
using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>The commands of a topic's writer (publisher) and reader (subscriber).</summary>
internal sealed partial class Driver
{
    private string? Topic()
    {
        switch (_line.Word(0))
        {
            case "open-publisher":
                _objects[_line.Id] = new TopicPlace(TopicWriter.Open(_line.Word(2), TopicOptions()));
                return "0";
            case "open-subscriber":
                _objects[_line.Id] = new TopicPlace(TopicReader.Open(_line.Word(2), TopicOptions(), ReaderOptions()));
                return "0";
        }
        if (!_objects.TryGetValue(_line.Id, out object? found) || found is not TopicPlace place)
            return null;
        string? answer = place.Writer is { } writer ? PublisherCommand(place, writer) : SubscriberCommand(place.Reader!);
        if (answer != null)
            return answer;
        return _line.Word(0) switch
        {
            "info" => TopicInfo(place.Writer?.GetInfo() ?? place.Reader!.GetInfo()),
            "participants" => Participants(place.Writer?.GetParticipants() ?? place.Reader!.GetParticipants()),
            "change" => NextChange(place.Changes),
            _ => null,
        };
    }

    private string? PublisherCommand(TopicPlace place, TopicWriter writer)
    {
        switch (_line.Word(0))
        {
            case "claim": return TopicClaim(place, writer);
            case "fill": return Claimed(place.Claim).Ask(_line);
            case "commit" or "abandon":
                Held claim = Claimed(place.Claim);
                place.Claim = null;
                return claim.Ask(_line);
            case "write": return TopicWrite(writer);
            case "stream": return TopicStream(writer);
            case "wait-readers": return Status(writer.WaitForReaders(_line.Int(2), _line.Deadline, CancellationToken.None));
            case "stop":
                writer.Stop();
                return "0";
            case "resume":
                writer.Resume();
                return "0";
            case "trim":
                writer.TrimLoans();
                return "0";
            default: return null;
        }
    }

    private string? SubscriberCommand(TopicReader reader)
    {
        switch (_line.Word(0))
        {
            case "read": return TopicRead(reader);
            case "collect": return TopicCollect(reader);
            case "release": return Status(reader.Release());
            case "wait": return Status(reader.Wait(_line.Deadline, CancellationToken.None));
            case "rejoin":
                reader.Rejoin(JoinOf(_line.Word(2)));
                return "0";
            case "stop":
                reader.Stop();
                return "0";
            case "resume":
                reader.Resume();
                return "0";
            default: return null;
        }
    }

    private TopicOptions TopicOptions()
    {
        var defaults = new TopicOptions();
        return new TopicOptions
        {
            BlockSize = (int)_line.Number("block", defaults.BlockSize),
            BlockCount = (int)_line.Number("count", defaults.BlockCount),
            MaxReaders = (int)_line.Number("readers", defaults.MaxReaders),
            MaxWriters = (int)_line.Number("writers", defaults.MaxWriters),
            SingleWriter = _line.Number("single", 0) != 0,
            AllowedPolicies = (TopicPolicies)_line.Number("allowed", (long)defaults.AllowedPolicies),
            LoanBudget = LoanBudget(defaults.LoanBudget),
            Lifetime = _line.Lifetime,
            OpenMode = OpenModeOption,
            WaitMode = _line.WaitMode,
            Access = _line.Access,
            OpenTimeout = _line.Timeout,
        };
    }

    private TopicReaderOptions ReaderOptions() => new()
    {
        Policy = _line.Option("policy") switch
        {
            "evict" => TopicPolicy.Evict,
            "lossy" => TopicPolicy.Lossy,
            "latest" => TopicPolicy.Latest,
            _ => TopicPolicy.Reliable,
        },
        Join = JoinOf(_line.Option("join")),
        IgnoreWriter = _line.Option("ignore") != null ? Get<TopicPlace>((int)_line.Number("ignore", 0)).Writer : null,
    };

    private static TopicJoin JoinOf(string? word) => word switch
    {
        "oldest" => TopicJoin.Oldest,
        "last" => TopicJoin.LastValue,
        _ => TopicJoin.Newest,
    };

    private string TopicClaim(TopicPlace place, TopicWriter writer)
    {
        Line line = _line;
        Held claim = Held.Start(self =>
        {
            TopicClaim open;
            IpcStatus status = IpcStatus.Ok;
            if (line.Waits)
                status = writer.Claim(line.Int(2), out open, line.Deadline);
            else if (!writer.TryClaim(line.Int(2), out open))
                status = IpcStatus.Full;
            self.Answer(WithSlowReader(status, writer));
            while (status == IpcStatus.Ok)
            {
                Line next = self.Next();
                switch (next.Word(0))
                {
                    case "fill":
                        Content.FillPattern(open.Payload, (uint)next.Long(2));
                        self.Answer("0");
                        continue;
                    case "commit":
                        open.Commit(next.Int(2), (ushort)next.Int(3), (ulong)next.Number("key", 0));
                        break;
                    default:
                        open.Abandon();
                        break;
                }
                self.Answer("0");
                return;
            }
        }, out string answer);
        if (answer == "0")
            place.Claim = claim;
        return answer;
    }

    private string TopicWrite(TopicWriter writer)
    {
        byte[] bytes = new byte[_line.Int(3)];
        Content.FillPattern(bytes, (uint)_line.Long(2));
        IpcStatus status = writer.Publish(bytes, (ushort)_line.Int(4), (ulong)_line.Number("key", 0), _line.Deadline, CancellationToken.None);
        return WithSlowReader(status, writer);
    }

    /// <summary>A writer that was held up says by whom, in the words of the C library.</summary>
    private static string WithSlowReader(IpcStatus status, TopicWriter writer) =>
        status is IpcStatus.Full or IpcStatus.Timeout && writer.SlowReader is { } slow
            ? $"{(int)status} | reader {slow.Index}, process {slow.ProcessId}, {slow.Behind} behind"
            : Status(status);

    private string TopicRead(TopicReader reader)
    {
        IpcStatus status = _line.Waits
            ? reader.Read(out TopicMessage message, _line.Deadline)
            : reader.TryRead(out message);
        if (status != IpcStatus.Ok)
            return Status(status);
        return $"0 type={message.Type} length={message.Payload.Length} hash={Content.Hash(message.Payload)} key={message.Key} " +
            $"position={message.Position} lost={message.Lost} writer={message.Writer}";
    }

    private static string TopicInfo(TopicInfo info) =>
        $"0 block={info.BlockSize} count={info.BlockCount} readers={info.Readers} writers={info.Writers} max={info.MaxReaders} " +
        $"tail={info.Tail} evictions={info.Evictions} lost={info.Lost} behind={info.Behind}";
}
