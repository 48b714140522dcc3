using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>A message in the hands of its reader: in place, or copied and looked at again.</summary>
public sealed unsafe partial class TopicReader
{
    private byte[] _buffer = Array.Empty<byte>(); // copies

    /// <summary>The Ready message at a position: in place, or copied. False: it is no longer there, or not
    /// ours.</summary>
    private bool TryDeliver(ulong position, ulong word, ulong lost, out TopicMessage message)
    {
        message = default;
        SlotHeader* slot = SlotAt(position);
        ulong description = Atomic.LoadAcquire(ref *(ulong*)&slot->Length); // once
        ulong key = slot->Key;
        uint owner = SlotState.OwnerOf(word);
        bool inPlace = position >= _inPlaceFrom;
        ReadOnlySpan<byte> payload;
        string? wrong = null;
        if (owner - 1 >= _participants)
        {
            wrong = $"a message of participant {owner}; there are {_participants}";
            payload = default;
        }
        else if (description >> FlagsShift == SlotHeader.LoanFlag)
        {
            wrong = FindLoan(slot, word, (uint)description, inPlace, out payload);
        }
        else if ((uint)description > _blockSize || description >> FlagsShift != 0)
        {
            wrong = $"a message of {(uint)description} bytes with flags {description >> FlagsShift} at position " +
                $"{position}; it takes at most {_blockSize}";
            payload = default;
        }
        else
        {
            payload = new ReadOnlySpan<byte>(slot + 1, (int)(uint)description);
            if (!inPlace)
            {
                payload.CopyTo(Buffer((int)(uint)description));
                payload = new ReadOnlySpan<byte>(_buffer, 0, payload.Length);
            }
        }

        // [overwrite] the copy, and what was found wrong, before the look at whether it was the message
        Atomic.FenceLoads();
        if (Atomic.LoadAcquire(ref slot->State) != word || Atomic.LoadAcquire(ref _seat->State) != _seatState)
            return false;
        if (wrong is not null)
            Corrupted(wrong);
        message = new TopicMessage(payload, (ushort)(description >> TypeShift), key, position, lost, (int)owner - 1);
        FaultPoints.Pass(FaultPoints.TopicReadDone);
        return true;
    }

    /// <summary>A loan's bytes, which stay while this reader's cursor does. Null: something is wrong, and the slow path
    /// says what.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private byte* LoanInPlace(SlotHeader* slot, ulong word, uint length)
    {
        LoanDescriptor descriptor = *(LoanDescriptor*)(slot + 1); // once
        if (Pool is not { } pool || slot->LoanLap != SlotState.LapOf(word) || descriptor.Length != length ||
            pool.Resolve(descriptor, out Loan loan) is not null)
        {
            return null;
        }

        _passedLoan = true;
        return loan.Bytes;
    }

    /// <summary>A loan's bytes. Copied through the file: what was given back meanwhile reads as zeros, and takes no
    /// memory for that.</summary>
    /// <returns>Null, or what is wrong.</returns>
    private string? FindLoan(SlotHeader* slot, ulong word, uint described, bool inPlace, out ReadOnlySpan<byte> payload)
    {
        payload = default;
        // a copy; what is wrong with it counts only if the word is still the same
        LoanDescriptor descriptor = *(LoanDescriptor*)(slot + 1);
        if (Pool is null)
            return "a loan, and no pool";
        if (slot->LoanLap != SlotState.LapOf(word))
            return $"a message of lap {SlotState.LapOf(word)} in a loan of lap {slot->LoanLap}";
        if (descriptor.Length != described)
            return $"a message of {described} bytes, in a loan of {descriptor.Length}";
        string? wrong = Pool.Resolve(descriptor, out Loan loan);
        if (wrong is not null)
            return wrong;

        int length = (int)descriptor.Length;
        if (inPlace)
        {
            _passedLoan = true;
            payload = new ReadOnlySpan<byte>(loan.Bytes, length);
            return null;
        }

        if (Atomic.LoadAcquire(ref slot->State) != word)
            return null; // seen again by the caller
        Span<byte> buffer = Buffer(length);
        fixed (byte* to = buffer)
            Os.Current.ReadFile(Region.File!, (ulong)(loan.Bytes - Region.Base), to, length);
        payload = buffer;
        return null;
    }

    private Span<byte> Buffer(int length)
    {
        if (_buffer.Length < length)
            _buffer = new byte[(int)Math.Min(0x7FFFFFC7L, Math.Max(length, 2L * _buffer.Length))];
        return new Span<byte>(_buffer, 0, length);
    }
}
