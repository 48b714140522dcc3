using System;
using System.Buffers.Binary;

namespace Ipc;

/// <summary>Removing what a name leads to, whatever its kind.</summary>
internal sealed unsafe partial class Region
{
    /// <summary>Retires the region and removes its name. False: there is none. Throws InUse while a live participant is
    /// attached.</summary>
    /// <param name="name">Of the region.</param>
    /// <param name="entranceOf">For a kind, which may be unknown.</param>
    /// <param name="onlyLeftOver">One that is kept (persistent, or with messages in it) is left alone: false.</param>
    /// <param name="evenIfUsed">Whoever is attached goes on with what has no name any more.</param>
    public static bool Clear(
        string name, Func<KindNumber, RegionEntrance> entranceOf, bool onlyLeftOver = false, bool evenIfUsed = false)
    {
        RegionShare share = RegionShare.OfAnybody(name);
        string path = RegionName.PathOf(name);
        for (; ; )
        {
            RegionFile? file = Os.Current.OpenFile(path);
            if (file is null)
                return false;
            Region region = Map(name, path, share, entranceOf(KindOf(file)), file);
            try
            {
                region.Kind.CheckBody(region);
                if (region.TryClear(onlyLeftOver, evenIfUsed, out bool cleared))
                    return cleared;
            }
            finally
            {
                region.Discard();
            }
        }
    }

    /// <summary>Retires this region and removes its name, although others may be attached.</summary>
    public void End()
    {
        Lock(Deadline.Never);
        try
        {
            RetireLocked();
        }
        finally
        {
            Unlock();
        }
    }

    /// <summary>False: the name leads elsewhere by now, look again.</summary>
    private bool TryClear(bool onlyLeftOver, bool evenIfUsed, out bool cleared)
    {
        cleared = false;
        Lock(Deadline.Never);
        try
        {
            if (!Os.Current.LeadsTo(Path, _file))
                return false;
            cleared = Atomic.LoadAcquire(ref Header->State) == RegionHeader.Live; // [live]
            if (cleared && !evenIfUsed && HasLiveParticipant(out int pid))
                Throw.Status(
                    IpcStatus.InUse, $"{Path} is in use by process {pid}: it can be cleared when everybody has left.");
            if (cleared && onlyLeftOver && !IsOver())
            {
                cleared = false;
                return true;
            }

            if (!MayRemove)
                ThrowNotOurs("is not in use");
            if (cleared)
                Kind.Retire(this);
            RetireLocked();
            return true;
        }
        finally
        {
            Unlock();
        }
    }

    /// <summary>What the file says; checked later. Nonsense where there is not enough to read.</summary>
    public static KindNumber KindOf(RegionFile file)
    {
        byte[] start = new byte[16];
        return file.IsRegular && file.ReadStart(start) == start.Length
            ? (KindNumber)BinaryPrimitives.ReadUInt32LittleEndian(start.AsSpan(12))
            : 0;
    }
}
