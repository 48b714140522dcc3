using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Ipc;

/// <summary>Creating and attaching.</summary>
/// <remarks>
/// <para>
/// A creator builds the whole region in a file without a name: sizes, header, body, its own live participant; then
/// links it to the name, which fails if the name exists. Killed before the link it leaves nothing; after it, a complete
/// region with a dead participant. So a name never leads to a half-built region, and of two creators one wins and the
/// other attaches.
/// </para>
/// <para>
/// What an existing name leads to can be: live (attach), kept (nobody is attached, but it is persistent or holds
/// messages: attach and inherit them), retired (its last participant was killed between retiring and unlinking: unlink
/// for it), or left over from a crash (no live participant, nothing to keep: under its lock retire it, unlink, begin
/// again). The name is only ever removed under the region lock and after a look that it still leads to this very file.
/// </para>
/// </remarks>
internal sealed unsafe partial class Region
{
    private enum Attempt { Attached, NotFound, Again, Locked }

    /// <summary>For the region lock, between two looks at the caller's deadline and token.</summary>
    private static readonly TimeSpan s_lockSlice = TimeSpan.FromMilliseconds(100);

    /// <summary>Opens a region. Throws <see cref="IpcException"/>, of status Cancelled when it
    /// was.</summary>
    public static Region Open(
        string name, RegionEntrance entrance, OpenMode mode, Deadline deadline, CancellationToken cancellationToken)
    {
        Region? region = OpenOrNot(name, entrance, mode, deadline, cancellationToken);
        if (region is null)
            ThrowNotFound(name, RegionName.PathOf(name), entrance);
        return region;
    }

    /// <summary>Opens one that exists; null when there is none by the deadline. Otherwise as
    /// <see cref="Open"/>.</summary>
    public static Region? TryOpen(
        string name, RegionEntrance entrance, Deadline deadline, CancellationToken cancellationToken) =>
        OpenOrNot(name, entrance, OpenMode.OpenExisting, deadline, cancellationToken);

    private static Region? OpenOrNot(
        string name, RegionEntrance entrance, OpenMode mode, Deadline deadline, CancellationToken cancellationToken)
    {
        RegionShare share = RegionShare.Of(name, entrance.AskedAccess, entrance.TakesOpen);
        string path = RegionName.PathOf(name);
        _ = entrance.NewLifetime; // throws what nobody may ask for, also when the region exists
        int nap = 1;
        TimeSpan lockTimeout = mode == OpenMode.OpenExisting && !deadline.HasPassed ? s_lockSlice : s_lockTimeout;
        for (; ; )
        {
            if (cancellationToken.IsCancellationRequested)
                Throw.Status(IpcStatus.Cancelled, $"Opening {path} was cancelled.");
            if (mode != OpenMode.CreateNew)
            {
                Attempt attempt = TryAttach(name, path, share, entrance, lockTimeout, out Region? attached);
                if (attempt == Attempt.Attached)
                    return attached!;
                if (attempt == Attempt.Again)
                    continue;
                if (attempt == Attempt.Locked)
                {
                    if (mode != OpenMode.OpenExisting || deadline.HasPassed)
                        ThrowLocked(path);
                    continue;
                }
            }

            if (mode == OpenMode.OpenExisting)
            {
                if (deadline.HasPassed)
                    return null;
                cancellationToken.WaitHandle.WaitOne(
                    (int)Math.Min(nap, Math.Max(1, deadline.Remaining.TotalMilliseconds)));
                nap = Math.Min(nap * 2, 20);
                continue;
            }

            Region created = Create(name, path, share, entrance);
            bool kept = false;
            try
            {
                kept = Os.Current.TryLink(created._file, path) ||
                    (mode == OpenMode.CreateNew && ReplaceLeftOver(created, entrance));
            }
            finally
            {
                if (!kept)
                    created.Discard();
            }

            if (kept)
            {
                FaultPoints.Pass(FaultPoints.RegionCreateAfterLink);
                return created;
            }
        }
    }

    /// <summary>Attaches to a region if that can be done now, without waiting for its lock.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="entrance">The role's.</param>
    /// <param name="isLocked">Why it is null: somebody has the region's lock at this moment; if not, there is no such
    /// region.</param>
    public static Region? TryAttachNow(string name, RegionEntrance entrance, out bool isLocked)
    {
        RegionShare share = RegionShare.Of(name, entrance.AskedAccess, entrance.TakesOpen);
        string path = RegionName.PathOf(name);
        for (; ; )
        {
            Attempt attempt = TryAttach(name, path, share, entrance, TimeSpan.Zero, out Region? attached);
            if (attempt == Attempt.Again)
                continue;
            isLocked = attempt == Attempt.Locked;
            return attached;
        }
    }

    /// <summary>What <see cref="TryAttachNow"/> is given up with: of status Timeout when the lock was taken all the
    /// time, otherwise NotFound.</summary>
    [DoesNotReturn]
    public static void ThrowNotAttached(string name, RegionEntrance entrance, bool isLocked)
    {
        string path = RegionName.PathOf(name);
        if (isLocked)
            ThrowLocked(path);
        ThrowNotFound(name, path, entrance);
    }

    [DoesNotReturn]
    private static void ThrowNotFound(string name, string path, RegionEntrance entrance) => Throw.Status(
        IpcStatus.NotFound,
        $"There is no live {RegionGeometry.NameOf((uint)entrance.Kind.Number)} \"{name}\" ({path}): start the other " +
        "side first, or wait longer for it.");

    private static Region Create(string name, string path, RegionShare share, RegionEntrance entrance)
    {
        RegionGeometry geometry = entrance.NewGeometry();
        string directory = System.IO.Path.GetDirectoryName(path)!;
        RegionFile file = Os.Current.CreateFile(directory, (long)geometry.TotalSize, geometry.Reserved);
        Region? region = null;
        try
        {
            if (share.IsMachine) // before it has a name: it never is another's by mistake
                Os.Current.Share(file, share.Access, directory);
            MappedView view = new(file, (long)geometry.TotalSize);
            region = new Region(name, path, share, entrance, file, view, geometry);
            RegionHeader* header = region.Header;
            header->Magic = RegionHeader.MagicValue;
            header->Major = RegionHeader.MajorVersion;
            header->Minor = RegionHeader.MinorVersion;
            header->Kind = (uint)entrance.Kind.Number;
            header->TotalSize = geometry.TotalSize;
            header->ParticipantOffset = geometry.ParticipantOffset;
            header->ParticipantCapacity = (uint)geometry.ParticipantCapacity;
            header->BodyOffset = geometry.BodyOffset;
            header->BodySize = geometry.BodySize;
            byte[] id = Guid.NewGuid().ToByteArray();
            header->RegionIdLow = BitConverter.ToUInt64(id, 0);
            header->RegionIdHigh = BitConverter.ToUInt64(id, 8);
            file.Identity.Identify(header->RegionIdLow, header->RegionIdHigh);
            Os.Current.CheckSleep(file, path, RegionHeader.ChangeOffset);
            header->Created = UnixTime();
            header->CreatorPid = (uint)Os.Current.Self.Pid;
            header->Lifetime = (uint)geometry.Lifetime;
            entrance.WriteBody(region);
            if (region._hasParticipants)
                region.TakeEntry();
            Atomic.StoreRelease(ref header->State, RegionHeader.Live); // [live]
            FaultPoints.Pass(FaultPoints.RegionCreateBeforeLink);
            if (entrance.Kind.Number == KindNumber.OfListener)
                FaultPoints.Pass(FaultPoints.ListenerOpenBeforeLink);
            return region;
        }
        catch
        {
            if (region is not null)
                region.Discard();
            else
                file.Dispose();
            throw;
        }
    }

    /// <summary>Closes and unmaps; for a region that nobody has been given.</summary>
    public void Discard()
    {
        if (_file.TemporaryPath is not null)
            Os.Current.Unlink(_file.TemporaryPath);
        CloseFile();
        View.Dispose();
    }

    /// <summary>Nobody gets another lifetime than the one that was asked for.</summary>
    private void CheckAsked()
    {
        Lifetime asked = Entrance.AskedLifetime;
        if (asked != Lifetime.Default && asked != Geometry.Lifetime)
        {
            Throw.Status(
                IpcStatus.WrongLifetime,
                $"{Path} has the lifetime {Geometry.Lifetime}, {asked} was asked for: ask for the same everywhere, " +
                "or for none, or remove it first.");
        }
    }

    private static Attempt TryAttach(
        string name,
        string path,
        RegionShare share,
        RegionEntrance entrance,
        TimeSpan lockTimeout,
        out Region? attached)
    {
        attached = null;
        RegionFile? file = Os.Current.OpenFile(path);
        if (file is null)
            return Attempt.NotFound;

        Region region = Map(name, path, share, entrance, file);
        bool keep = false;
        try
        {
            entrance.Kind.CheckBody(region);
            if (!region.TryLock(Deadline.After(lockTimeout)))
                return Attempt.Locked;
            try
            {
                if (!Os.Current.LeadsTo(path, file))
                    return Attempt.Again; // replaced since it was opened

                if (Atomic.LoadAcquire(ref region.Header->State) != RegionHeader.Live) // [live]
                {
                    if (!Os.Current.TryUnlink(path)) // for the one that was killed before it could
                        region.ThrowNotOurs("was retired");
                    return Attempt.Again;
                }

                FaultPoints.Pass(FaultPoints.RegionAttachLocked);
                region.RecoverDead(suspectsOnly: entrance.Kind.FirstJudges && region.IsAlive(0));
                if (!entrance.Kind.IsOpen(region))
                {
                    if (!region.HasLiveParticipant() && !region.IsKept())
                    {
                        entrance.Kind.Retire(region);
                        region.RetireLocked();
                    }

                    return Attempt.NotFound;
                }

                region.CheckAsked();
                entrance.Kind.Admit(region, entrance.Role);
                region.TakeEntry();
                region.SignalAll(); // whoever sleeps has a new peer to look after
                keep = true;
            }
            finally
            {
                region.Unlock();
            }
        }
        finally
        {
            if (!keep)
            {
                region.Discard();
            }
        }

        attached = region;
        return Attempt.Attached;
    }

    /// <summary>Checks an open file and maps it; disposes it when it throws.</summary>
    private static Region Map(
        string name, string path, RegionShare share, RegionEntrance entrance, RegionFile file)
    {
        try
        {
            if (!file.IsRegular)
                Throw.Corrupt($"{path} is not a regular file, so it is not a region: remove it, or use another name.");
            share.CheckUser(file, path);
            if (!share.IsMachine && file.Stranger is { } stranger)
                Throw.Status(
                    IpcStatus.AccessDenied,
                    $"{path} belongs to {stranger}: set IPC_DIR to a directory of your own, or use another name.");

            byte[] start = new byte[RegionGeometry.CheckedBytes];
            int count = file.ReadStart(start);
            RegionGeometry geometry = RegionGeometry.Check(
                start.AsSpan(0, count), file.Length, entrance.Kind.Number, path);
            file.Identity.Identify(BitConverter.ToUInt64(start, RegionHeader.IdOffset),
                BitConverter.ToUInt64(start, RegionHeader.IdOffset + sizeof(ulong)));
            Os.Current.CheckSleep(file, path, RegionHeader.ChangeOffset);
            return new Region(
                name, path, share, entrance, file, new MappedView(file, (long)geometry.TotalSize), geometry);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }
}
