using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>Numbered traffic, and the storm: a rising sequence whose two ends may be killed at any instruction.</summary>
internal sealed partial class Driver
{
    private const int WrongContent = 100;
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(10);

    private string? Numbered() => _line.Word(0) switch
    {
        "send" => Send(),
        "receive" => Receive(),
        "ping" => Ping(),
        "pong" => Pong(),
        "storm-write" => StormWrite(),
        "storm-read" => StormRead(),
        _ => null,
    };

    /// <summary>send ID FIRST COUNT MAX [batch=K] timeout=MS</summary>
    private string Send()
    {
        ulong first = (ulong)_line.Long(2), count = (ulong)_line.Long(3), batch = (ulong)_line.Number("batch", 1);
        int max = _line.Int(4);
        Deadline until = _line.Deadline;
        RingWriter writer = Writer;
        for (ulong n = first; n < first + count; n++)
        {
            int length = Content.NumberedLength(n, max);
            if (!writer.TryClaim(length, out Span<byte> payload))
            {
                writer.Flush(); // the reader can only make room if it sees what is there
                IpcStatus status = writer.Claim(length, out payload, until);
                if (status != IpcStatus.Ok)
                    return $"{(int)status} at={n}";
            }
            Content.FillNumbered(payload, n);
            if ((n - first) % batch == batch - 1 || n == first + count - 1)
                writer.Commit(length, (ushort)n);
            else
                writer.CommitBatched(length, (ushort)n);
        }
        return "0";
    }

    /// <summary>receive ID FIRST COUNT MAX [release=K] timeout=MS</summary>
    private string Receive()
    {
        ulong first = (ulong)_line.Long(2), count = (ulong)_line.Long(3), release = (ulong)_line.Number("release", 1);
        int max = _line.Int(4), redelivered = 0;
        Deadline until = _line.Deadline;
        RingReader reader = Reader;
        for (ulong n = first; n < first + count; n++)
        {
            IpcStatus status = reader.Read(out RingRecord record, until);
            if (status != IpcStatus.Ok)
                return $"{(int)status} at={n}";
            if (!Content.IsNumbered(record.Payload, out ulong found) || found != n || record.Type != (ushort)n ||
                record.Payload.Length != Content.NumberedLength(n, max))
                return $"{WrongContent} at={n} found={found} length={record.Payload.Length} type={record.Type}";
            redelivered += record.Redelivered ? 1 : 0;
            if ((n - first) % release == release - 1 || n == first + count - 1)
                reader.Release();
        }
        return $"0 redelivered={redelivered}";
    }

    /// <summary>ping WRITER READER COUNT MAX timeout=MS: sends record n, waits until it comes back, COUNT times.</summary>
    private string Ping()
    {
        ulong count = (ulong)_line.Long(3);
        int max = _line.Int(4);
        Deadline until = _line.Deadline;
        RingWriter writer = Writer;
        RingReader reader = ReaderOf(_line.Int(2));
        for (ulong n = 0; n < count; n++)
        {
            int length = Content.NumberedLength(n, max);
            IpcStatus status = writer.Claim(length, out Span<byte> payload, until);
            if (status != IpcStatus.Ok)
                return $"{(int)status} at={n}";
            Content.FillNumbered(payload, n);
            writer.Commit(length, (ushort)n);
            status = reader.Read(out RingRecord record, until);
            if (status != IpcStatus.Ok)
                return $"{(int)status} at={n}";
            if (!Content.IsNumbered(record.Payload, out ulong found) || found != n || record.Payload.Length != length)
                return $"{WrongContent} at={n} found={found}";
            reader.Release();
        }
        return "0";
    }

    /// <summary>pong WRITER READER COUNT timeout=MS: sends back what comes, COUNT times.</summary>
    private string Pong()
    {
        ulong count = (ulong)_line.Long(3);
        Deadline until = _line.Deadline;
        RingWriter writer = Writer;
        RingReader reader = ReaderOf(_line.Int(2));
        for (ulong n = 0; n < count; n++)
        {
            IpcStatus status = reader.Read(out RingRecord record, until);
            if (status == IpcStatus.Ok)
                status = writer.Write(record.Payload, record.Type, until, CancellationToken.None);
            if (status != IpcStatus.Ok)
                return $"{(int)status} at={n}";
            reader.Release();
        }
        return "0";
    }

    /// <summary>A file of two words that outlives this process: [0] tried, [1] done.</summary>
    private static MemoryMappedViewAccessor OpenSide(string path)
    {
        using MemoryMappedFile file = MemoryMappedFile.CreateFromFile(path, FileMode.OpenOrCreate, null, 4096);
        return file.CreateViewAccessor();
    }

    /// <summary>storm-write ID SIDE FROM TO MAX: says what it tries before, what it has done after each record.</summary>
    private string StormWrite()
    {
        using MemoryMappedViewAccessor side = OpenSide(_line.Word(2));
        ulong n = (ulong)_line.Long(3), to = (ulong)_line.Long(4);
        int max = _line.Int(5);
        RingWriter writer = Writer;
        while (n < to)
        {
            int length = Content.NumberedLength(n, max);
            side.Write(0, n);
            IpcStatus status = writer.Claim(length, out Span<byte> payload, Deadline.After(_patience));
            if (status is IpcStatus.PeerDied or IpcStatus.PeerClosed) // full, and its reader is being replaced
            {
                writer.WaitForPeer(Deadline.After(_patience), CancellationToken.None);
                continue;
            }
            if (status != IpcStatus.Ok)
                return $"{(int)status} at={n}";
            Content.FillNumbered(payload, n);
            writer.Commit(length, (ushort)n);
            side.Write(8, n);
            n++;
        }
        return "0";
    }

    /// <summary>storm-read ID SIDE TO: reads up to number TO - 1. What comes twice must be flagged, nothing may be missing.</summary>
    private string StormRead()
    {
        using MemoryMappedViewAccessor side = OpenSide(_line.Word(2));
        ulong to = (ulong)_line.Long(3);
        int redelivered = 0;
        RingReader reader = Reader;
        while (side.ReadUInt64(8) + 1 < to)
        {
            IpcStatus status = reader.Read(out RingRecord record, Deadline.After(_patience));
            ulong done = side.ReadUInt64(8);
            if (status is IpcStatus.PeerDied or IpcStatus.PeerClosed) // empty, and its writer is being replaced
            {
                reader.WaitForPeer(Deadline.After(_patience), CancellationToken.None);
                continue;
            }
            if (status != IpcStatus.Ok)
                return $"{(int)status} at={done}";
            bool whole = Content.IsNumbered(record.Payload, out ulong n);
            if (!whole || n > done + 1 || (n <= done && !record.Redelivered))
                return $"{WrongContent} at={done} found={n} whole={(whole ? 1 : 0)} redelivered={(record.Redelivered ? 1 : 0)}";
            redelivered += n <= done ? 1 : 0;
            if (n == done + 1)
                side.Write(8, n);
            reader.Release();
        }
        return $"0 redelivered={redelivered}";
    }
}
