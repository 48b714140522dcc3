using System;
using System.Collections.Concurrent;
using System.Globalization;
using System.Linq;
using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>The commands of one queue, and what a topic answers likewise.</summary>
internal sealed partial class Driver
{
    private string? Queue()
    {
        if (_line.Word(0) == "open-queue")
        {
            _objects[_line.Id] = new QueuePlace(SharedQueue.Open(_line.Word(2), QueueOptions()));
            return "0";
        }
        if (!_objects.TryGetValue(_line.Id, out object? found) || found is not QueuePlace place)
            return null;
        switch (_line.Word(0))
        {
            case "claim": return QueueClaim(place);
            case "circle": return Circle(place.Queue);
            case "fill": return Claimed(place.Claim).Ask(_line);
            case "commit" or "abandon":
                Held claim = Claimed(place.Claim);
                place.Claim = null;
                return claim.Ask(_line);
            case "write": return QueueWrite(place.Queue);
            case "read": return QueueRead(place);
            case "release": return Claimed(place.Messages.Count == 0 ? null : place.Messages.Dequeue()).Ask(_line);
            case "stream": return QueueStream(place.Queue);
            case "collect": return QueueCollect(place.Queue);
            case "wait": return Status(place.Queue.Wait(_line.Deadline, CancellationToken.None));
            case "stop":
                place.Queue.Stop();
                return "0";
            case "resume":
                place.Queue.Resume();
                return "0";
            case "trim":
                place.Queue.TrimLoans();
                return "0";
            case "info": return QueueInfo(place.Queue.GetInfo());
            case "participants": return Participants(place.Queue.GetParticipants());
            case "change": return NextChange(place.Changes);
            default: return null;
        }
    }

    private OpenMode OpenModeOption => _line.Option("open") switch
    {
        null or "any" => OpenMode.OpenOrCreate,
        "create" => OpenMode.CreateNew,
        _ => OpenMode.OpenExisting,
    };

    private long LoanBudget(long otherwise) => _line.Option("budget") switch
    {
        "none" => 0,
        null when Environment.GetEnvironmentVariable("IPC_TEST_LOAN_BUDGET") is { } bytes => long.Parse(bytes, CultureInfo.InvariantCulture),
        _ => _line.Number("budget", otherwise),
    };

    private QueueOptions QueueOptions()
    {
        var defaults = new QueueOptions();
        return new QueueOptions
        {
            BlockSize = (int)_line.Number("block", defaults.BlockSize),
            BlockCount = (int)_line.Number("count", defaults.BlockCount),
            MaxExpansions = (int)_line.Number("expansions", 0),
            MinExpansionDistance = (int)_line.Number("distance", 0),
            Preallocate = _line.Number("preallocate", 0) != 0,
            DropOrphans = _line.Number("drop", 0) != 0,
            Lifetime = _line.Lifetime,
            Participants = (int)_line.Number("participants", defaults.Participants),
            LoanBudget = LoanBudget(defaults.LoanBudget),
            OpenMode = OpenModeOption,
            WaitMode = _line.WaitMode,
            Access = _line.Access,
            OpenTimeout = _line.Timeout,
        };
    }

    private static Held Claimed(Held? claim) => claim ?? throw new InvalidOperationException("nothing is held");

    private string QueueClaim(QueuePlace place)
    {
        (SharedQueue queue, Line line) = (place.Queue, _line);
        Held claim = Held.Start(self =>
        {
            QueueClaim open;
            IpcStatus status = IpcStatus.Ok;
            if (line.Waits)
                status = queue.Claim(line.Int(2), out open, line.Deadline);
            else if (!queue.TryClaim(line.Int(2), out open))
                status = IpcStatus.Full;
            self.Answer(Status(status));
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
                        open.Commit(next.Int(2), (ushort)next.Int(3));
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

    /// <summary>circle ID COUNT: as many claims, each abandoned.</summary>
    private string Circle(SharedQueue queue)
    {
        for (long i = _line.Long(2); i != 0; i--)
        {
            if (!queue.TryClaim(8, out QueueClaim claim))
                return Status(IpcStatus.Full);
            claim.Abandon();
        }
        return "0";
    }

    private string QueueWrite(SharedQueue queue)
    {
        byte[] bytes = new byte[_line.Int(3)];
        Content.FillPattern(bytes, (uint)_line.Long(2));
        return Status(queue.Send(bytes, (ushort)_line.Int(4), _line.Deadline, CancellationToken.None));
    }

    private string QueueRead(QueuePlace place)
    {
        (SharedQueue queue, Line line) = (place.Queue, _line);
        Held message = Held.Start(self =>
        {
            QueueMessage received;
            IpcStatus status = IpcStatus.Ok;
            if (line.Waits)
                status = queue.Receive(out received, line.Deadline);
            else if (!queue.TryReceive(out received))
                status = IpcStatus.Empty;
            if (status != IpcStatus.Ok)
            {
                self.Answer(Status(status));
                return;
            }
            self.Answer($"0 type={received.Type} length={received.Payload.Length} hash={Content.Hash(received.Payload)} redelivered={(received.Redelivered ? 1 : 0)}");
            self.Next();
            received.Release();
            self.Answer("0");
        }, out string answer);
        if (answer.StartsWith("0 ", StringComparison.Ordinal))
            place.Messages.Enqueue(message);
        return answer;
    }

    private static string QueueInfo(QueueInfo info) =>
        $"0 block={info.BlockSize} count={info.BlockCount} segments={info.Segments} limit={info.SegmentLimit} participants={info.Participants} " +
        $"capacity={info.ParticipantCapacity} depth={info.Depth} redelivered={info.Redelivered} dropped={info.Dropped} " +
        $"failures={info.GrowthFailures} budget={info.LoanBudget} present={info.LoansPresent} exhausted={info.LoansExhausted}";

    private static string Participants(ParticipantInfo[] list) => $"0 count={list.Length}" + string.Concat(list.Select(
        (who, i) => $" pid{i}={who.ProcessId} role{i}={(int)who.Role} runtime{i}={(int)who.Runtime}"));

    private string NextChange(BlockingCollection<ParticipantChangedEventArgs> changes) =>
        changes.TryTake(out ParticipantChangedEventArgs? change, _line.Timeout)
            ? $"0 kind={(int)change.Change} pid={change.Participant.ProcessId} role={(int)change.Participant.Role} runtime={(int)change.Participant.Runtime}"
            : Status(IpcStatus.Timeout);
}
