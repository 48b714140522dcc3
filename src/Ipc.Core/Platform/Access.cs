using System;

namespace Ipc;

/// <summary>With whom a region of the machine is shared: who may open what is made here, and whose work is accepted
/// when there is something already. Root may always. Both sides say it.</summary>
/// <remarks>The name <c>machine/NAME</c> is that of a region of the whole machine: programs of several users can meet
/// there. Any other name is one of this user's own, and is shared with nobody. Linux only.</remarks>
public sealed class Access
{
    /// <summary>The longest list of <see cref="Users"/>.</summary>
    public const int MaxUsers = 32;

    private readonly uint[] _users;

    private Access(AccessKind kind, uint group, uint[] users)
    {
        Kind = kind;
        GroupId = group;
        _users = users;
    }

    /// <summary>This user's programs. The default.</summary>
    public static Access User { get; } = new(AccessKind.User, 0, []);

    /// <summary>All programs of the machine.</summary>
    public static Access Everybody { get; } = new(AccessKind.Everybody, 0, []);

    internal AccessKind Kind { get; }

    internal uint GroupId { get; }

    internal uint[] UserIds => _users;

    /// <summary>This user's programs and those of the members of a group. Who makes a region has to be a
    /// member.</summary>
    /// <param name="id">The group's id, as <c>getent group NAME</c> has it.</param>
    public static Access Group(uint id) => new(AccessKind.Group, id, []);

    /// <summary>This user's programs and those of the users in a list.</summary>
    /// <param name="ids">Their ids, 1 to <see cref="MaxUsers"/>, as <c>id -u NAME</c> has them.</param>
    /// <exception cref="IpcException">InvalidArgument: none, or too many.</exception>
    public static Access Users(params uint[] ids)
    {
        Throw.IfNull(ids, nameof(ids));
        if (ids.Length is 0 or > MaxUsers)
            Throw.Status(IpcStatus.InvalidArgument, $"A list has 1 to {MaxUsers} users, not {ids.Length}.");
        return new Access(AccessKind.Users, 0, (uint[])ids.Clone());
    }

    /// <inheritdoc/>
    public override string ToString() => Kind switch
    {
        AccessKind.Group => $"group {GroupId}",
        AccessKind.Users => "users " + string.Join(", ", _users),
        AccessKind.Everybody => "everybody",
        _ => "this user",
    };

    internal bool Lists(uint? user) =>
        Kind == AccessKind.Users && user is { } id && Array.IndexOf(_users, id) >= 0;
}
