using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>Numbered traffic of many senders through a topic: number n of sender s is s * 2^32 + i, its key is s.</summary>
internal sealed partial class Driver
{
    /// <summary>stream ID SENDER COUNT MAX timeout=MS</summary>
    private string TopicStream(TopicWriter writer)
    {
        ulong sender = (ulong)_line.Long(2), count = (ulong)_line.Long(3);
        int max = _line.Int(4);
        Deadline until = _line.Deadline;
        for (ulong i = 0; i < count; i++)
        {
            ulong n = (sender << 32) | i;
            int length = Content.NumberedLength(n, max);
            IpcStatus status = writer.Claim(length, out TopicClaim claim, until);
            if (status != IpcStatus.Ok)
                return $"{(int)status} at={i}";
            Content.FillNumbered(claim.Payload, n);
            claim.Commit(length, (ushort)(n & 1023), sender);
        }
        return "0";
    }

    /// <summary>collect ID MAX ENDS [gaps=1] timeout=MS: until so many end marks have come; what is checked stands in drive_topic_stream.c.</summary>
    private string TopicCollect(TopicReader reader)
    {
        int max = _line.Int(2), ends = _line.Int(3);
        bool gaps = _line.Number("gaps", 0) != 0;
        Deadline until = _line.Deadline;
        ulong[] next = new ulong[Senders];
        ulong count = 0, missing = 0;
        long lost = 0;
        uint sum = 0;
        for (int ended = 0; ended < ends;)
        {
            IpcStatus status = reader.Read(out TopicMessage message, until);
            if (status != IpcStatus.Ok)
                return $"{(int)status} count={count}";
            lost += message.Lost;
            if (message.Type == EndOfService)
            {
                ended++;
            }
            else
            {
                bool whole = Content.IsNumbered(message.Payload, out ulong n) && message.Payload.Length == Content.NumberedLength(n, max) &&
                    message.Type == (n & 1023) && n >> 32 < Senders && message.Key == n >> 32;
                ulong i = (uint)n, expected = whole ? next[n >> 32] : 0;
                if (!whole || i < expected || (i > expected && expected != 0 && !gaps))
                    return $"{WrongContent} count={count} at={i} expected={expected} whole={(whole ? 1 : 0)}";
                missing += expected != 0 ? i - expected : 0;
                next[n >> 32] = i + 1;
                count++;
                sum += HashOf(n);
            }
            status = reader.Release();
            if (status != IpcStatus.Ok)
                return $"{(int)status} count={count}";
        }
        return $"0 count={count} missing={missing} lost={lost} sum={sum}";
    }
}
