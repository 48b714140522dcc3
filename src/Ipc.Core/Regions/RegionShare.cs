namespace Ipc;

/// <summary>Where a region is and with whom it is shared. Twin of <c>ipc_share</c>; docs/wire-format.md section
/// 1.</summary>
/// <remarks>The machine directory is everybody's, so a name may have been taken by anybody. Who made a file is the
/// kernel's word; what is in it is his only if nobody else can write it, which is why a file that everybody can write
/// is nothing for who has asked for somebody.</remarks>
internal sealed class RegionShare
{
    /// <summary>This user's alone.</summary>
    public static readonly RegionShare Own = new(false, Access.User, false);

    private readonly bool _takesOpen;

    private RegionShare(bool isMachine, Access access, bool takesOpen)
    {
        IsMachine = isMachine;
        Access = access;
        _takesOpen = takesOpen;
    }

    public bool IsMachine { get; }

    public Access Access { get; }

    /// <summary>As a name and an access say. Refuses an access that is not such a name's.</summary>
    /// <param name="name">Of the region.</param>
    /// <param name="access">As asked for.</param>
    /// <param name="takesOpen">What everybody can write is good enough, whoever was asked for: nothing in it is
    /// believed.</param>
    public static RegionShare Of(string name, Access access, bool takesOpen = false)
    {
        Throw.IfNull(access, nameof(access));
        if (RegionName.IsOfMachine(name))
            return new RegionShare(true, access, takesOpen);
        if (access.Kind != AccessKind.User)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"\"{name}\" is a name of this user's own: what is shared with other users has the name " +
                $"{RegionName.Machine}{name}.");
        return Own;
    }

    /// <summary>For whoever looks at what is there, whose ever it is.</summary>
    public static RegionShare OfAnybody(string name) =>
        Of(name, RegionName.IsOfMachine(name) ? Access.Everybody : Access.User);

    /// <summary>For whoever removes what is there: nothing in it is believed but that it is not in use.</summary>
    public RegionShare ToRemove() => IsMachine ? new RegionShare(true, Access, takesOpen: true) : this;

    /// <summary>Refuses a file, just opened, that was made by somebody whom it is not shared with.</summary>
    public void CheckUser(RegionFile file, string path)
    {
        if (!IsMachine || Access.Kind == AccessKind.Everybody)
            return;
        // Only a member can give a file a group.
        uint? user = file.User;
        bool isWelcome = IsOurs(user) || (Access.Kind == AccessKind.Group && file.Group == Access.GroupId) ||
            Access.Lists(user);
        if (!isWelcome)
            Throw.Status(
                IpcStatus.AccessDenied,
                $"{path} was made by user {user}, whom this side (user {Os.Current.User}) does not share it with: " +
                "use the same access on both sides, or another name.");
        if (file.IsOpenToAll && !_takesOpen)
            Throw.Status(
                IpcStatus.AccessDenied,
                $"{path} is shared with everybody by user {user}, and not so by this side: use the same access on " +
                "both sides.");
    }

    /// <summary>That user may ask for something here. Who is in a group is the kernel's business: others could not open
    /// the region.</summary>
    public bool Admits(uint? user) => Access.Kind switch
    {
        AccessKind.User => !IsMachine || IsOurs(user),
        AccessKind.Users => IsOurs(user) || Access.Lists(user),
        _ => true,
    };

    /// <summary>Between this user and that one alone.</summary>
    public RegionShare With(uint? user) => IsMachine && user is { } other && other != Os.Current.User
        ? new RegionShare(true, Access.Users(other), false)
        : new RegionShare(IsMachine, Access.User, false);

    private static bool IsOurs(uint? user) => user is not null && (user == Os.Current.User || user == 0);
}
