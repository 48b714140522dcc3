namespace Ipc;

/// <summary>Twin of <c>ipc_access_kind</c>.</summary>
internal enum AccessKind
{
    User = 0,
    Group = 1,
    Everybody = 2,
    Users = 3,
}
