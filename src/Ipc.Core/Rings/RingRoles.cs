namespace Ipc;

/// <summary>Who has which end of a ring in a region with participants: a ring's own, or a named connection's, which has
/// two. Words of the ring's header, written under the region lock; docs/wire-format.md section 4.</summary>
internal static unsafe class RingRoles
{
    /// <summary>Refuses a second live holder of an end.</summary>
    /// <param name="region">Around the ring.</param>
    /// <param name="header">The ring's.</param>
    /// <param name="isWriter">Which end.</param>
    /// <param name="what">That there is one of already, such as <c>writer</c>.</param>
    public static void CheckFree(Region region, RingHeader* header, bool isWriter, string what)
    {
        uint owner = Atomic.LoadAcquire(ref isWriter ? ref header->Writer : ref header->Reader);
        if (IsLive(region, owner))
        {
            Throw.Status(
                IpcStatus.InUse,
                $"{region.Path} has a {what} already, process {region.ProcessOf((int)owner - 1).Pid}: end that " +
                "process, or use another name.");
        }
    }

    public static void Enter(RingHeader* header, int index, bool isWriter)
    {
        if (isWriter)
        {
            Atomic.StoreRelease(ref header->Writer, (uint)index + 1);
            Atomic.StoreRelease(ref header->WriterState, (uint)PeerState.Live);
        }
        else
        {
            Atomic.StoreRelease(ref header->Reader, (uint)index + 1);
            Atomic.StoreRelease(ref header->ReaderState, (uint)PeerState.Live);
        }
    }

    public static bool Names(RingHeader* header, int index) =>
        Atomic.LoadAcquire(ref header->Writer) == index + 1 || Atomic.LoadAcquire(ref header->Reader) == index + 1;

    /// <summary>State first, owner second: killed in between, the owner is still named and it is done again.</summary>
    public static void Vacate(RingHeader* header, int index, PeerState state)
    {
        if (Atomic.LoadAcquire(ref header->Writer) == index + 1)
        {
            Atomic.StoreRelease(ref header->WriterState, (uint)state); // [close]: after what it published
            Atomic.StoreRelease(ref header->Writer, 0);
        }

        if (Atomic.LoadAcquire(ref header->Reader) == index + 1)
        {
            Atomic.StoreRelease(ref header->ReaderState, (uint)state); // [close]
            Atomic.StoreRelease(ref header->Reader, 0);
        }
    }

    public static void Wake(RingHeader* header)
    {
        Waiter.SignalAlways(&header->Data);
        Waiter.SignalAlways(&header->Space);
    }

    /// <summary>The owner is one plus the index of a live entry. Anything else, nonsense included, is nobody. Only the
    /// dead have been recovered: no need to ask the kernel.</summary>
    public static bool IsLive(Region region, uint owner) =>
        owner != 0 && owner <= (uint)region.Geometry.ParticipantCapacity &&
        Atomic.LoadAcquire(ref region.Entry((int)owner - 1)->State) == ParticipantEntry.Live;
}
