using System;

namespace Ipc.Testing.Images;

/// <summary>A region whose messages stand in slots.</summary>
public abstract class SlotImage(byte[] bytes, int body, int pool) : Image(bytes)
{
    public int Body { get; } = body;

    public int Pool { get; } = pool;

    /// <summary>Writes a slot at this offset: its word, and a message that is the pattern of its type.</summary>
    protected void WriteSlot(int at, ulong word, int type, int length, ulong key)
    {
        U64(at + Wire.Slot.State, word);
        this[at + Wire.Slot.Length] = (uint)length;
        U16(at + Wire.Slot.Type, (ushort)type);
        U64(at + Wire.Slot.Key, key);
        RegionImage.FillPattern(Bytes.AsSpan(at + Wire.Slot.Payload, length), (uint)type);
    }

    /// <summary>Turns the message in the slot at this offset into a loan of this length.</summary>
    protected void LendTo(int at, int length)
    {
        byte[] descriptor = RegionImage.PublishLoan(this, Pool, (ulong)at, U16(at + Wire.Slot.Type), length);
        Bytes.AsSpan(at + Wire.Slot.Payload, RegionImage.BlockSize).Clear();
        descriptor.CopyTo(Bytes, at + Wire.Slot.Payload);
        this[at + Wire.Slot.Length] = (uint)length;
        U16(at + Wire.Slot.Flags, Wire.Slot.HasLoan);
        this[at + Wire.Slot.LoanLap] = (uint)(U64(at + Wire.Slot.State) >> 32);
    }
}
