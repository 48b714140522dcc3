using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Ipc.Rpc;

// The file: a header of 32 bytes, then records. All numbers are little-endian.
//
//   header   8 "IPC-ONCE" | 4 version, 1 | 4 zero | 8 forgotten to, ticks of UTC | 4 zero | 4 CRC-32 of the 28 before
//   record   4 length of what follows the CRC | 4 CRC-32 of that | 1 kind | ...
//   begin 1  56 call
//   end 2    56 call | outcome
//   forget 3 8 forgotten to | 56 call, any number of times

/// <summary>The bytes of a <see cref="FileOnceStore"/>.</summary>
internal static class OnceFile
{
    public const int HeaderSize = 32;

    /// <summary>Of a record about a call, without the call and its outcome.</summary>
    public const int RecordSize = Prefix + 1;

    private const int Prefix = 8;
    private const uint Version = 1;
    private const int TicksSize = 8;
    private const int BufferSize = 64 * 1024;

    private static readonly byte[] _magic = Encoding.ASCII.GetBytes("IPC-ONCE");
    private static readonly uint[] _crc = CrcTable();

    public enum Kind : byte
    {
        Begin = 1,
        End = 2,
        Forget = 3,
    }

    /// <summary>Keeps others away until it is disposed, or the process has died.</summary>
    /// <returns><see langword="null"/> when another one does.</returns>
    public static FileStream? Lock(string path)
    {
        try
        {
            return new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException e) when (IsBusy(e))
        {
            return null;
        }
    }

    public static void TryDelete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // the next server does
        }
    }

    /// <summary>Opens a file to read and to append, without a buffer: what was written is the kernel's.</summary>
    public static FileStream Open(string path)
        => Make(path, FileMode.OpenOrCreate, FileShare.Read, bufferSize: 1);

    /// <summary>Makes a file that is to take another one's place: who may not read that may not read this.</summary>
    public static FileStream Create(string path, string other)
    {
        FileStream file = Make(path, FileMode.Create, FileShare.None, BufferSize);
#if NET
        try
        {
#pragma warning disable CA1416 // says so where there are no such rights
            if (File.Exists(other))
                File.SetUnixFileMode(file.SafeFileHandle, File.GetUnixFileMode(other));
#pragma warning restore CA1416
        }
        catch (PlatformNotSupportedException)
        {
            // its directory gives them
        }
#endif
        return file;
    }

    public static void Replace(string source, string destination)
    {
        if (File.Exists(destination))
            File.Replace(source, destination, null);
        else
            File.Move(source, destination);
    }

    public static byte[] Header(long forgottenTo)
    {
        var header = new byte[HeaderSize];
        _magic.CopyTo(header, 0);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(8), Version);
        BinaryPrimitives.WriteInt64LittleEndian(header.AsSpan(16), forgottenTo);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(28), Crc(header.AsSpan(0, 28)));
        return header;
    }

    public static byte[] Begin(ReadOnlySpan<byte> call) => Record(Kind.Begin, call, default);

    public static byte[] End(ReadOnlySpan<byte> call, ReadOnlySpan<byte> outcome) => Record(Kind.End, call, outcome);

    public static byte[] Forget(IReadOnlyList<ReadOnlyMemory<byte>> calls, long forgottenTo)
    {
        var first = new byte[TicksSize];
        var rest = new byte[calls.Count * OnceKey.StoredSize];
        BinaryPrimitives.WriteInt64LittleEndian(first, forgottenTo);
        for (int i = 0; i < calls.Count; i++)
            calls[i].Span.CopyTo(rest.AsSpan(i * OnceKey.StoredSize));
        return Record(Kind.Forget, first, rest);
    }

    private static FileStream Make(string path, FileMode mode, FileShare share, int bufferSize)
    {
#if NET
        var options = new FileStreamOptions
        {
            Mode = mode,
            Access = FileAccess.ReadWrite,
            Share = share,
            BufferSize = bufferSize,
        };
        try
        {
#pragma warning disable CA1416 // says so where there are no such rights
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite; // it has answers in it
#pragma warning restore CA1416
        }
        catch (PlatformNotSupportedException)
        {
            // its directory gives them
        }

        return new FileStream(path, options);
#else
        return new FileStream(path, mode, FileAccess.ReadWrite, share, bufferSize);
#endif
    }

    /// <summary>Whether somebody else has the file: what .NET says of EWOULDBLOCK of Linux and of macOS, and of the
    /// violations of sharing and of locks of Windows.</summary>
    private static bool IsBusy(IOException e) => (e.HResult & 0xFFFF) is 11 or 35 or 32 or 33;

    private static byte[] Record(Kind kind, ReadOnlySpan<byte> first, ReadOnlySpan<byte> rest)
    {
        var record = new byte[RecordSize + first.Length + rest.Length];
        record[Prefix] = (byte)kind;
        first.CopyTo(record.AsSpan(RecordSize));
        rest.CopyTo(record.AsSpan(RecordSize + first.Length));
        BinaryPrimitives.WriteInt32LittleEndian(record, record.Length - Prefix);
        BinaryPrimitives.WriteUInt32LittleEndian(record.AsSpan(4), Crc(record.AsSpan(Prefix)));
        return record;
    }

    private static uint Crc(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (byte one in bytes)
            crc = _crc[(byte)(crc ^ one)] ^ (crc >> 8);
        return ~crc;
    }

    private static uint[] CrcTable()
    {
        const uint Polynomial = 0xEDB88320;
        var table = new uint[256];
        for (uint i = 0; i < table.Length; i++)
        {
            uint value = i;
            for (int bit = 0; bit < 8; bit++)
                value = (value & 1) == 0 ? value >> 1 : (value >> 1) ^ Polynomial;
            table[i] = value;
        }

        return table;
    }

    /// <summary>One record.</summary>
    public struct Entry
    {
        public Kind Kind;
        public OnceKey Key;
        public byte[] Call;
        public ReadOnlyMemory<byte> Outcome;
        public List<OnceKey>? Forgotten;
        public long ForgottenTo;
    }

    /// <summary>Reads a file that may have any bytes in it.</summary>
#pragma warning disable CA1001 // the file that the buffer is of goes on being used
    public sealed class Reader
#pragma warning restore CA1001
    {
        private readonly BufferedStream _file;
        private readonly long _length;

        /// <exception cref="IpcException">It does not begin as such a file does.</exception>
        public Reader(FileStream file, string path)
        {
            _length = file.Length;
            _file = new BufferedStream(file, BufferSize);
            byte[] header = Take((int)Math.Min(_length, HeaderSize)) ?? Array.Empty<byte>();
            if (header.Length != HeaderSize || !header.AsSpan(0, _magic.Length).SequenceEqual(_magic))
                throw new IpcException(
                    IpcStatus.WrongKind,
                    "The file '" + path + "' has " + _length + " bytes and does not begin as a store of calls does; " +
                        "it was left as it is.");
            uint version = BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(8));
            if (version != Version)
                throw new IpcException(
                    IpcStatus.WrongVersion,
                    "The store '" + path + "' has version " + version + "; this library has version " + Version + ".");
            long ticks = BinaryPrimitives.ReadInt64LittleEndian(header.AsSpan(16));
            IsWhole = IsTime(ticks) &&
                BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(28)) == Crc(header.AsSpan(0, 28));
            ForgottenTo = IsWhole ? ticks : 0;
            Position = HeaderSize;
        }

        /// <summary>As the header says.</summary>
        public long ForgottenTo { get; }

        /// <summary>Up to where the file has been read and is right.</summary>
        public long Position { get; private set; }

        /// <summary>Whether all was right so far.</summary>
        public bool IsWhole { get; private set; }

        /// <summary>Reads the next record.</summary>
        /// <returns><see langword="false"/> at the end of the file, or of what can be believed.</returns>
        public bool TryRead(out Entry entry)
        {
            entry = default;
            if (!IsWhole || Position == _length)
                return false;

            IsWhole = false;
            byte[]? prefix = Take(Prefix);
            if (prefix is null)
                return false;
            int length = BinaryPrimitives.ReadInt32LittleEndian(prefix);
            if (length < 1 || length > _length - Position - Prefix)
                return false;
            byte[]? record = Take(length);
            if (record is null || Crc(record) != BinaryPrimitives.ReadUInt32LittleEndian(prefix.AsSpan(4)) ||
                !TryTakeApart(record, ref entry))
                return false;

            Position += Prefix + length;
            IsWhole = true;
            return true;
        }

        private static bool TryTakeApart(byte[] record, ref Entry entry)
        {
            entry.Kind = (Kind)record[0];
            ReadOnlySpan<byte> rest = record.AsSpan(1);
            if (entry.Kind == Kind.Forget)
                return TryTakeForgotten(rest, ref entry);
            if (entry.Kind is not (Kind.Begin or Kind.End) || rest.Length < OnceKey.StoredSize)
                return false;

            entry.Call = rest.Slice(0, OnceKey.StoredSize).ToArray();
            entry.Outcome = record.AsMemory(1 + OnceKey.StoredSize);
            return OnceKey.TryRead(entry.Call, out entry.Key) && entry.Outcome.IsEmpty == (entry.Kind == Kind.Begin);
        }

        private static bool TryTakeForgotten(ReadOnlySpan<byte> rest, ref Entry entry)
        {
            if (rest.Length < TicksSize || (rest.Length - TicksSize) % OnceKey.StoredSize != 0)
                return false;
            entry.ForgottenTo = BinaryPrimitives.ReadInt64LittleEndian(rest);
            entry.Forgotten = new List<OnceKey>();
            for (rest = rest.Slice(TicksSize); !rest.IsEmpty; rest = rest.Slice(OnceKey.StoredSize))
            {
                if (!OnceKey.TryRead(rest.Slice(0, OnceKey.StoredSize), out OnceKey key))
                    return false;
                entry.Forgotten.Add(key);
            }

            return IsTime(entry.ForgottenTo);
        }

        private static bool IsTime(long ticks) => ticks >= 0 && ticks <= DateTime.MaxValue.Ticks;

        /// <summary>The next bytes; <see langword="null"/> when there are fewer.</summary>
        private byte[]? Take(int count)
        {
            var bytes = new byte[count];
            int taken = 0;
            while (taken < count)
            {
                int more = _file.Read(bytes, taken, count - taken);
                if (more == 0)
                    return null;
                taken += more;
            }

            return bytes;
        }
    }
}
