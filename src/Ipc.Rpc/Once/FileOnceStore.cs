using System;
using System.Collections.Generic;
using System.IO;

namespace Ipc.Rpc;

// docs/guide/once.md says what survives what. A call is appended as two records: that it begins, and its outcome.
// Whatever a record says is only believed when it is whole. What comes after one that is not is dropped, and since that
// may have been calls that were executed, all ids from before are refused then.

/// <summary>A store in a file: the outcomes of calls that are executed once, for a server that is killed and started
/// again (<see cref="RpcOnceOptions.Store"/>).</summary>
/// <remarks>
/// <para>Each call is written when it begins and when it has ended, with one write to the file each. What was written
/// survives the death of the process. The death of the machine it survives only with <c>survivesMachine</c>; then both
/// writes wait for the disk; without, the last calls before such a crash may be lost without a trace, and be executed
/// again.</para>
/// <para>The file grows to about twice what is remembered, and a megabyte, and is then written anew beside itself
/// (<c>PATH.new</c>). <c>PATH.lock</c> keeps a second server away. The file has the answers of calls in it: put it
/// where only this user may read. An older copy of it must not be put back: calls since then would be executed
/// again.</para>
/// </remarks>
public sealed class FileOnceStore : IOnceStore, IDisposable
{
    private const long Slack = 1 << 20; // bytes that are not worth writing the file anew

    private readonly object _gate = new();
    private readonly Dictionary<OnceKey, Kept> _calls = new();
    private readonly string _path;
    private readonly bool _survivesMachine;
    private FileStream? _lock;
    private FileStream? _file;
    private long _length; // of the file, up to which it is whole
    private long _longEnough; // from here on it is tried again to write it anew, which failed
    private long _live; // of that, what a new file would have
    private long _forgottenTo;
    private long _number; // of the last call
    private bool _isBroken; // a write failed half way, and what it wrote could not be taken back
    private bool _disposed;

    /// <summary>Names the file. It is opened, or made, when a server starts with the store.</summary>
    /// <param name="path">Where it is; its directory exists.</param>
    /// <param name="survivesMachine">Whether what was written is to survive a crash of the machine, too. Each call then
    /// waits twice for the disk.</param>
    public FileOnceStore(string path, bool survivesMachine = false)
    {
        _path = Path.GetFullPath(path ?? throw new ArgumentNullException(nameof(path)));
        _survivesMachine = survivesMachine;
    }

    /// <summary>The length of the file in bytes; 0 before it was opened.</summary>
    public long Length
    {
        get
        {
            lock (_gate)
                return _length;
        }
    }

    /// <inheritdoc/>
    /// <exception cref="IpcException"><see cref="IpcStatus.InUse"/>: another server uses it;
    /// <see cref="IpcStatus.WrongKind"/>, <see cref="IpcStatus.WrongVersion"/>: the file is another one;
    /// <see cref="IpcStatus.AccessDenied"/>, <see cref="IpcStatus.SystemError"/>: it cannot be opened.</exception>
    public OnceStoreContents Load()
    {
        lock (_gate)
        {
            if (_disposed)
                throw new ObjectDisposedException(nameof(FileOnceStore));
            if (_lock is not null)
                throw InUse(null);

            try
            {
                _lock = OnceFile.Lock(_path + ".lock") ?? throw InUse(null);
                File.Delete(_path + ".new"); // of a server that died while it wrote it
                _file = OnceFile.Open(_path);
                _calls.Clear();
                _live = 0;
                bool isWhole = Read();
                if (!isWhole)
                {
                    _forgottenTo = Math.Max(_forgottenTo, DateTime.UtcNow.Ticks);
                    WriteAnew();
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                Close();
                if (e is IpcException)
                    throw;
                throw new IpcException(
                    e is UnauthorizedAccessException ? IpcStatus.AccessDenied : IpcStatus.SystemError,
                    "The store '" + _path + "' cannot be opened: " + e.Message);
            }

            return Contents();
        }
    }

    /// <inheritdoc/>
    public void Begin(ReadOnlyMemory<byte> call)
    {
        OnceKey key = KeyOf(call);
        lock (_gate)
        {
            Append(OnceFile.Begin(call.Span));
            Put(key, call.ToArray(), default);
            WriteAnewIfLong();
        }
    }

    /// <inheritdoc/>
    public void End(ReadOnlyMemory<byte> call, ReadOnlyMemory<byte> outcome)
    {
        OnceKey key = KeyOf(call);
        lock (_gate)
        {
            Append(OnceFile.End(call.Span, outcome.Span));
            Put(key, call.ToArray(), outcome);
            WriteAnewIfLong();
        }
    }

    /// <inheritdoc/>
    public void Forget(IReadOnlyList<ReadOnlyMemory<byte>> calls, DateTime forgottenTo)
    {
        if (calls is null)
            throw new ArgumentNullException(nameof(calls));
        lock (_gate)
        {
            Append(OnceFile.Forget(calls, forgottenTo.Ticks));
            foreach (ReadOnlyMemory<byte> call in calls)
                Remove(KeyOf(call));
            _forgottenTo = Math.Max(_forgottenTo, forgottenTo.Ticks);
            WriteAnewIfLong();
        }
    }

    /// <summary>Closes the file. After the server that uses it has ended.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            Close();
        }
    }

    private static OnceKey KeyOf(ReadOnlyMemory<byte> call)
        => OnceKey.TryRead(call.Span, out OnceKey key)
            ? key
            : throw new ArgumentException("A call's key has " + call.Length + " bytes, and is none.", nameof(call));

    private IpcException InUse(Exception? inner) => new(
        IpcStatus.InUse,
        "The store '" + _path + "' is used by another server, or by another one in this process; each needs its own." +
            inner?.Message);

    private OnceStoreContents Contents()
    {
        var calls = new List<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>>(_calls.Count);
        foreach (Kept kept in InOrder())
            calls.Add(new KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>(kept.Call, kept.Outcome));
        return new OnceStoreContents(new DateTime(_forgottenTo, DateTimeKind.Utc), calls);
    }

    private List<Kept> InOrder()
    {
        var calls = new List<Kept>(_calls.Values);
        calls.Sort(static (a, b) => a.Number.CompareTo(b.Number));
        return calls;
    }

    /// <summary>Reads the file, or makes one that is empty.</summary>
    /// <returns>Whether all of it could be believed.</returns>
    private bool Read()
    {
        if (_file!.Length == 0)
        {
            _forgottenTo = DateTime.UtcNow.Ticks;
            WriteAnew();
            return true;
        }

        var reader = new OnceFile.Reader(_file, _path);
        _forgottenTo = reader.ForgottenTo;
        while (reader.TryRead(out OnceFile.Entry entry))
        {
            switch (entry.Kind)
            {
                case OnceFile.Kind.Begin when _calls.TryGetValue(entry.Key, out Kept? known) && known.IsEnded:
                    break;
                case OnceFile.Kind.Begin:
                case OnceFile.Kind.End:
                    Put(entry.Key, entry.Call, entry.Outcome);
                    break;
                default:
                    entry.Forgotten!.ForEach(Remove);
                    _forgottenTo = Math.Max(_forgottenTo, entry.ForgottenTo);
                    break;
            }
        }

        _length = reader.Position;
        _file.Position = _length;
        return reader.IsWhole;
    }

    private void Put(OnceKey key, byte[] call, ReadOnlyMemory<byte> outcome)
    {
        long number = _calls.TryGetValue(key, out Kept? known) ? known.Number : ++_number;
        Remove(key);
        var kept = new Kept(number, call, outcome);
        _calls.Add(key, kept);
        _live += kept.Size;
    }

    private void Remove(OnceKey key)
    {
        if (!_calls.TryGetValue(key, out Kept? known))
            return;
        _live -= known.Size;
        _calls.Remove(key);
    }

    private void Append(byte[] record)
    {
        if (_lock is null)
            throw new ObjectDisposedException(nameof(FileOnceStore), "The store is not open.");
        if (_isBroken || _file is null)
            WriteAnew(); // throws if that is not possible, either

        try
        {
            _file!.Write(record, 0, record.Length);
            _file.Flush(_survivesMachine);
            _length += record.Length;
        }
        catch
        {
            TakeBack();
            throw;
        }
    }

    /// <summary>What comes behind half a record could not be read.</summary>
    private void TakeBack()
    {
        try
        {
            _file!.SetLength(_length);
            _file.Position = _length;
        }
#pragma warning disable CA1031 // whatever it is: the file is not appended to any more
        catch (Exception)
#pragma warning restore CA1031
        {
            _isBroken = true;
        }
    }

    private void WriteAnewIfLong()
    {
        if (_length <= Slack || _length <= 2 * _live || _length < _longEnough)
            return;
        try
        {
            WriteAnew();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Stray.Report("The store of calls could not be written anew", null, e);
            _longEnough = _length + Slack; // not with each call: it takes as long as there is much
            ReopenIfPossible();
        }
    }

    /// <summary>Writes what is live to another file, which takes the place of this one.</summary>
    private void WriteAnew()
    {
        string temporary = _path + ".new";
        try
        {
            WriteAnew(temporary);
        }
        catch
        {
            OnceFile.TryDelete(temporary); // on a full disk it has the room that the next call needs
            throw;
        }
    }

    private void WriteAnew(string temporary)
    {
        long length;
        using (FileStream file = OnceFile.Create(temporary, _path))
        {
            byte[] head = OnceFile.Header(_forgottenTo);
            file.Write(head, 0, head.Length);
            foreach (Kept kept in InOrder())
            {
                byte[] record = kept.IsEnded
                    ? OnceFile.End(kept.Call, kept.Outcome.Span)
                    : OnceFile.Begin(kept.Call);
                file.Write(record, 0, record.Length);
            }

            file.Flush(_survivesMachine);
            length = file.Position;
        }

        _file?.Dispose(); // where a file that is open cannot be replaced
        _file = null;
        OnceFile.Replace(temporary, _path);
        _length = length;
        _longEnough = 0;
        Reopen();
        _isBroken = false;
    }

    private void ReopenIfPossible()
    {
        try
        {
            if (_file is null)
                Reopen();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // what is written next writes it anew
        }
    }

    private void Reopen()
    {
        FileStream file = OnceFile.Open(_path);
        file.Position = _length;
        if (_survivesMachine)
            file.Flush(flushToDisk: true); // its name as well
        _file = file;
    }

    private void Close()
    {
        _file?.Dispose();
        _file = null;
        _lock?.Dispose();
        _lock = null;
    }

    private sealed class Kept
    {
        public Kept(long number, byte[] call, ReadOnlyMemory<byte> outcome)
        {
            Number = number;
            Call = call;
            Outcome = outcome;
        }

        public long Number { get; }

        public byte[] Call { get; }

        public ReadOnlyMemory<byte> Outcome { get; }

        public bool IsEnded => !Outcome.IsEmpty;

        public long Size => OnceFile.RecordSize + Call.Length + Outcome.Length;
    }
}
