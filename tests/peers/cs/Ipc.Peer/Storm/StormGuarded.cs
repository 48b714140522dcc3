using System.Runtime.InteropServices;

namespace Ipc.Peer.Storm;

/// <summary>What a storm's locks guard, a line each. Twin of <c>storm_guarded</c> in tests/peers/c/storm_side.h.</summary>
[StructLayout(LayoutKind.Explicit, Size = 768)]
internal unsafe struct StormGuarded
{
    // Plain: only the holder of the mutex touches them.
    [FieldOffset(0)] public ulong First;
    [FieldOffset(128)] public ulong Second; // one less than First while the holder is at it
    [FieldOffset(256)] public ulong Holder; // a worker's number + 1

    [FieldOffset(384)] public ulong Posted;
    [FieldOffset(512)] public ulong Noticed;
    [FieldOffset(640)] private fixed ulong _places[3];

    /// <summary>Who is there with a permit: (a worker's number + 1) &lt;&lt; 32 | its turn.</summary>
    [System.Diagnostics.CodeAnalysis.UnscopedRef]
    public ref ulong Place(int place) => ref _places[place];
}
