using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>Reads the headers of slots one after the other.</summary>
internal sealed class SlotWalk(RegionLook look, ulong stride)
{
    private readonly FileWindow _window = new(look, stride <= 2048 ? 64 * 1024 : SlotHeader.ByteSize);

    public SlotHeader At(ulong offset) => MemoryMarshal.Read<SlotHeader>(_window.Bytes(offset, SlotHeader.ByteSize, "a slot"));
}
