using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using System.Text;

namespace Ipc.Tool;

/// <summary>Writes a recording: docs/recording-format.md. For this user's eyes alone, as the region is.</summary>
internal sealed class RecordingWriter : IDisposable
{
    private const int BufferBytes = 1 << 20;
    private readonly FileStream _file;
    private readonly long _started = Stopwatch.GetTimestamp();
    private readonly byte[] _entry = new byte[RecordingFormat.EntryBytes];
    private ulong _messages, _last;

    public RecordingWriter(string path, string kind, string name, bool replaces)
    {
        var options = new FileStreamOptions { Mode = replaces ? FileMode.Create : FileMode.CreateNew, Access = FileAccess.Write, Share = FileShare.Read, BufferSize = BufferBytes };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        _file = new FileStream(path, options);
        byte[] text = Encoding.UTF8.GetBytes(name);
        byte[] header = new byte[RecordingFormat.HeaderBytes + text.Length + RecordingFormat.Padding(text.Length)];
        RecordingFormat.Magic.CopyTo(header);
        BinaryPrimitives.WriteUInt16LittleEndian(header.AsSpan(8), RecordingFormat.Major);
        BinaryPrimitives.WriteUInt16LittleEndian(header.AsSpan(10), RecordingFormat.Minor);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(12), (uint)header.Length);
        BinaryPrimitives.WriteInt64LittleEndian(header.AsSpan(16), (DateTime.UtcNow - DateTime.UnixEpoch).Ticks * 100);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(24), (uint)KindNames.Kind(kind));
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(28), (uint)text.Length);
        text.CopyTo(header.AsSpan(RecordingFormat.HeaderBytes));
        _file.Write(header);
        _file.Flush(); // a recording of nothing, if nothing follows
    }

    public void Message(TappedMessage message)
    {
        ushort flags = message.Redelivered == true ? RecordingFormat.RedeliveredFlag : (ushort)0;
        Write(RecordingFormat.MessageEntry, message.Key ?? 0, message.Type, flags, message.Payload);
        _messages++;
    }

    /// <summary>Messages, or bytes of a ring, that passed unseen at this place.</summary>
    public void Lost(ulong count) => Write(RecordingFormat.LostEntry, count, 0, 0, []);

    /// <summary>Hands what is written to the system: it outlives this process from now on.</summary>
    public void Flush() => _file.Flush();

    /// <summary>What is written is whole. Without this the file says that it was cut short.</summary>
    public void End()
    {
        Write(RecordingFormat.EndEntry, _messages, 0, 0, []);
        _file.Flush();
    }

    public void Dispose() => _file.Dispose();

    private void Write(ushort what, ulong number, ushort type, ushort flags, ReadOnlySpan<byte> payload)
    {
        _last = Math.Max(_last, (ulong)(Stopwatch.GetElapsedTime(_started).Ticks * 100));
        Span<byte> entry = _entry;
        BinaryPrimitives.WriteUInt16LittleEndian(entry, what);
        BinaryPrimitives.WriteUInt16LittleEndian(entry[2..], type);
        BinaryPrimitives.WriteUInt32LittleEndian(entry[4..], (uint)payload.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(entry[8..], _last);
        BinaryPrimitives.WriteUInt64LittleEndian(entry[16..], number);
        BinaryPrimitives.WriteUInt16LittleEndian(entry[24..], flags);
        BinaryPrimitives.WriteUInt16LittleEndian(entry[26..], 0);
        BinaryPrimitives.WriteUInt32LittleEndian(entry[28..], Checksum.Add(Checksum.Add(0, entry[..28]), payload));
        _file.Write(entry);
        _file.Write(payload);
        _file.Write(stackalloc byte[RecordingFormat.Padding(payload.Length)]);
    }
}
