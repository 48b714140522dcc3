namespace Ipc;

/// <content>A name that is to be created and is there: a left-over is removed, a live listener may lose it.</content>
internal sealed unsafe partial class Region
{
    private const string NextSuffix = "~next"; // of a listener that is about to take the name

    /// <summary>The name is taken: throws if by somebody live; else removes the left-over and links ours. False: the
    /// name was free again for a moment, try anew.</summary>
    private static bool ReplaceLeftOver(Region created, RegionEntrance entrance)
    {
        for (; ; )
        {
            RegionFile? file = Os.Current.OpenFile(created.Path);
            if (file is not null)
            {
                RegionEntrance oldEntrance = entrance.ForAnother();
                Region old = Map(created.Name, created.Path, created.Share.ToRemove(), oldEntrance, file);
                try
                {
                    oldEntrance.Kind.CheckBody(old);
                    if (old.ReapOrThrow(created))
                    {
                        old.SignalAll(); // now that the lock is free: its server looks whose the name is
                        return true;
                    }
                }
                finally
                {
                    old.Discard();
                }
            }

            if (Os.Current.TryLink(created._file, created.Path))
                return true;
        }
    }

    /// <summary>True: <paramref name="successor"/> has its name. False: it is free, or somebody else's.</summary>
    private bool ReapOrThrow(Region successor)
    {
        Lock(Deadline.Never);
        try
        {
            if (!Os.Current.LeadsTo(Path, _file))
                return false; // another one was faster
            if (Atomic.LoadAcquire(ref Header->State) == RegionHeader.Live)
            {
                RecoverDead();
                if (Kind.IsTaken(this))
                {
                    if (!Kind.HandsOver(this, successor.Entrance))
                        ThrowTaken();
                    GiveName(successor);
                    return true;
                }
            }

            if (!MayRemove)
                ThrowNotOurs("is not in use");
            Kind.Retire(this);
            RetireLocked();
            return false;
        }
        finally
        {
            Unlock();
        }
    }

    /// <summary>Said first, and taken back by who is said it if the name is still its own: so the two agree, whoever of
    /// them is killed. Under the region lock.</summary>
    private void GiveName(Region successor)
    {
        if (!MayRemove)
            ThrowNotOurs("has a server");
        Kind.SayFollowed(this, true);
        FaultPoints.Pass(FaultPoints.ListenerFollowSaid);
        try
        {
            Os.Current.Replace(successor._file, Path + NextSuffix, Path);
        }
        catch
        {
            Kind.SayFollowed(this, false);
            throw;
        }

        FaultPoints.Pass(FaultPoints.ListenerFollowRenamed);
    }

    /// <summary>A file that somebody was killed with while he took the name. Under the region lock, with which it is
    /// taken; who has lost it has no business there.</summary>
    public void RemoveNext()
    {
        if (Os.Current.CanReplace && Os.Current.LeadsTo(Path, _file))
            _ = Os.Current.TryUnlink(Path + NextSuffix);
    }

    private void ThrowTaken()
    {
        string why = !MayRemove ? $"belongs to user {User}, who alone can remove it"
            : Geometry.Lifetime == Lifetime.Persistent ? "is persistent" : "holds unread messages";
        Throw.Status(Entrance.TakenStatus, !HasLiveParticipant(out int pid)
            ? $"{Path} exists and {why}: open it, or remove it first."
            : Entrance.TakenStatus == IpcStatus.InUse
                ? $"{Path} has a server already, process {pid}: end that process, or use another name."
                : $"{Path} exists and process {pid} uses it: open it, or use another name.");
    }
}
