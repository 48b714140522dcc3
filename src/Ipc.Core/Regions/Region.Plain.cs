namespace Ipc;

/// <summary>Regions without participants: those of connections.</summary>
internal sealed unsafe partial class Region
{
    /// <summary>Builds a region that has no participants (a connection's), for a name that nobody else can have. It has
    /// none until <see cref="LinkPlain"/>.</summary>
    public static Region BuildPlain(string path, RegionShare share, RegionEntrance entrance) =>
        Create(System.IO.Path.GetFileName(path), path, share, entrance);

    /// <summary>Gives it its name.</summary>
    public void LinkPlain()
    {
        if (!Os.Current.TryLink(_file, Path))
            Throw.Status(IpcStatus.Exists, $"{Path} exists.");
        FaultPoints.Pass(FaultPoints.RegionCreateAfterLink);
    }

    /// <summary>Opens a region that has no participants; checks the body. One of the machine must be between its owner
    /// and this process alone: else what is in it may be another's than its owner's, who is taken for the
    /// peer.</summary>
    public static Region OpenPlain(string path, RegionShare share, RegionEntrance entrance)
    {
        RegionFile? file = Os.Current.OpenFile(path);
        if (file is null)
            Throw.Status(IpcStatus.NotFound, $"There is no {path}.");
        Region region = Map(System.IO.Path.GetFileName(path), path, share, entrance, file!);
        try
        {
            if (share.IsMachine && !Os.Current.IsPrivate(file!))
                Throw.Status(
                    IpcStatus.AccessDenied, $"{path} is open to others than its owner and its server.");
            if (Atomic.LoadAcquire(ref region.Header->State) != RegionHeader.Live) // [live]
                Throw.Status(IpcStatus.NotFound, $"{path} was retired.");
            entrance.Kind.CheckBody(region);
        }
        catch
        {
            region.Discard();
            throw;
        }

        return region;
    }

    /// <summary>Removes the name, if it leads here.</summary>
    public void Unlink()
    {
        if (Os.Current.LeadsTo(Path, _file))
            _ = Os.Current.TryUnlink(Path); // where only its owner can, that one does so
    }
}
