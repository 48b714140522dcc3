using System;
using System.Buffers.Binary;
using System.IO;
using System.Text;

namespace Ipc.Tool;

/// <summary>Reads a recording, and believes none of it: docs/recording-format.md. What is wrong with it ends the verb.</summary>
internal sealed class RecordingReader : IDisposable
{
    private const int BufferBytes = 1 << 20;
    private readonly FileStream _file;
    private readonly string _path;
    private readonly byte[] _entry = new byte[RecordingFormat.EntryBytes];
    private readonly long _first;
    private ulong _last, _messages;

    public RecordingReader(string path)
    {
        _path = path;
        _file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, BufferBytes);
        try
        {
            if (!_file.CanSeek)
                throw Wrong("is no file: a recording is read from one, not from a pipe");
            byte[] header = new byte[RecordingFormat.HeaderBytes];
            if (_file.ReadAtLeast(header, header.Length, throwOnEndOfStream: false) < header.Length || !header.AsSpan(0, 8).SequenceEqual(RecordingFormat.Magic))
                throw Wrong("is no recording: 'ipc record' makes one");
            ushort major = BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(8));
            if (major != RecordingFormat.Major)
                throw Wrong($"is a recording of version {major}; this tool reads {RecordingFormat.Major}. Use the tool of that version");
            uint length = BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(12)), name = BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(28));
            if (name is 0 or > RecordingFormat.MaxName || length < RecordingFormat.HeaderBytes + name || length > RecordingFormat.HeaderBytes + 64 * 1024 || length % 8 != 0)
                throw Wrong($"is damaged: a header of {length} bytes with a name of {name}");
            byte[] rest = new byte[length - RecordingFormat.HeaderBytes];
            if (_file.ReadAtLeast(rest, rest.Length, throwOnEndOfStream: false) < rest.Length)
                throw Wrong("was cut short in its header");
            Name = Encoding.UTF8.GetString(rest, 0, (int)name);
            Kind = KindNames.Of(BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(24)));
            _first = length;
        }
        catch
        {
            _file.Dispose();
            throw;
        }
    }

    /// <summary>Of the region that was recorded: somebody else's word.</summary>
    public string Name { get; }

    public string Kind { get; }

    /// <summary>How much of the file has been read, 0 to 1.</summary>
    public double Progress => _file.Length == 0 ? 1 : (double)_file.Position / _file.Length;

    /// <summary>The file ended without its last entry: whoever recorded was killed, or the disk was full.</summary>
    public bool WasCutShort { get; private set; }

    public void Rewind()
    {
        _file.Position = _first;
        _last = _messages = 0;
    }

    /// <summary>False behind the last message.</summary>
    public bool Next(out RecordingEntry entry)
    {
        entry = default;
        int read = _file.ReadAtLeast(_entry, _entry.Length, throwOnEndOfStream: false);
        if (read < _entry.Length)
            return CutShort();
        ReadOnlySpan<byte> head = _entry;
        uint length = BinaryPrimitives.ReadUInt32LittleEndian(head[4..]);
        if (length > RecordingFormat.MaxPayload)
            throw Damaged($"an entry of {length} bytes");
        if (length > _file.Length - _file.Position)
            return CutShort(); // before memory is made for what is not there
        byte[] payload = new byte[length];
        _file.ReadExactly(payload);
        _file.Position = Math.Min(_file.Length, _file.Position + RecordingFormat.Padding(length));
        if (BinaryPrimitives.ReadUInt32LittleEndian(head[28..]) != Checksum.Add(Checksum.Add(0, head[..28]), payload))
            throw Damaged("a checksum that is not that of its entry");
        entry = new RecordingEntry(
            BinaryPrimitives.ReadUInt16LittleEndian(head), BinaryPrimitives.ReadUInt64LittleEndian(head[8..]), BinaryPrimitives.ReadUInt64LittleEndian(head[16..]),
            BinaryPrimitives.ReadUInt16LittleEndian(head[2..]), BinaryPrimitives.ReadUInt16LittleEndian(head[24..]), payload);
        return Check(entry);
    }

    public void Dispose() => _file.Dispose();

    private bool Check(in RecordingEntry entry)
    {
        if (entry.Nanoseconds < _last)
            throw Damaged("a time before that of the entry before it");
        if (entry.What is not (RecordingFormat.MessageEntry or RecordingFormat.LostEntry or RecordingFormat.EndEntry))
            throw Damaged($"an entry of kind {entry.What}, which is none");
        if (entry.What != RecordingFormat.MessageEntry && entry.Payload.Length > 0)
            throw Damaged("a payload where none belongs");
        if (entry.What == RecordingFormat.EndEntry && entry.Number != _messages)
            throw Damaged($"an end after {_messages} messages that speaks of {entry.Number}");
        _last = entry.Nanoseconds;
        _messages += entry.What == RecordingFormat.MessageEntry ? 1u : 0u;
        return entry.What != RecordingFormat.EndEntry;
    }

    private bool CutShort()
    {
        WasCutShort = true;
        return false;
    }

    private ToolException Damaged(string what) => Wrong($"is damaged: behind message {_messages} it has {what}");

    private ToolException Wrong(string what) => new(ExitCode.Unusable, $"{_path} {what}.");
}
