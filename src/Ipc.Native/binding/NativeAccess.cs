using System;

namespace Ipc.Native;

/// <summary>With whom a region of the machine (<c>machine/NAME</c>) is shared: <c>ipc_access</c>. Root may always. Both sides say it. Linux only.</summary>
public sealed class NativeAccess
{
    /// <summary>The longest list of <see cref="Users"/>.</summary>
    public const int MaxUsers = AccessData.MaxUsers;

    private const int OfUser = 0, OfGroup = 1, OfEverybody = 2, OfUsers = 3;

    private readonly int _kind;
    private readonly uint _group;
    private readonly uint[] _users;

    private NativeAccess(int kind, uint group, uint[] users)
    {
        _kind = kind;
        _group = group;
        _users = users;
    }

    /// <summary>This user's programs. The default.</summary>
    public static NativeAccess User { get; } = new(OfUser, 0, []);

    /// <summary>All programs of the machine.</summary>
    public static NativeAccess Everybody { get; } = new(OfEverybody, 0, []);

    /// <summary>This user's programs and those of the members of a group. Who makes a region has to be a member.</summary>
    /// <param name="id">The group's id.</param>
    public static NativeAccess Group(uint id) => new(OfGroup, id, []);

    /// <summary>This user's programs and those of the users in a list.</summary>
    /// <param name="ids">Their ids, 1 to <see cref="MaxUsers"/>.</param>
    /// <exception cref="ArgumentException">None, or too many.</exception>
    public static NativeAccess Users(params uint[] ids)
    {
        if (ids is null)
            throw new ArgumentNullException(nameof(ids));
        if (ids.Length is 0 or > MaxUsers)
            throw new ArgumentException($"A list has 1 to {MaxUsers} users, not {ids.Length}.", nameof(ids));
        return new NativeAccess(OfUsers, 0, (uint[])ids.Clone());
    }

    internal static unsafe AccessData DataOf(NativeAccess? access)
    {
        AccessData data = default;
        if (access is null)
            return data;
        data.Kind = access._kind;
        data.Group = access._group;
        data.UserCount = (uint)access._users.Length;
        for (int i = 0; i < access._users.Length; i++)
            data.Users[i] = access._users[i];
        return data;
    }
}
