using System;

namespace Ipc.Rpc;

/// <summary>An earlier name of this field, parameter or enum value, whose meaning is unchanged.</summary>
/// <remarks>
/// Names are not on the wire, so older peers still work. But two fields that were swapped look like two that were
/// renamed, and older peers would read one as the other. So without this attribute a changed name is a build error
/// (IPCRPC045). It may be removed once the checked-in .proto has the new name.
/// </remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter, AllowMultiple = true)]
public sealed class IpcRenamedAttribute : Attribute
{
    /// <summary>Gives the old name.</summary>
    /// <param name="from">The name in the .proto, or the earlier name in C#.</param>
    public IpcRenamedAttribute(string from) => From = from ?? throw new ArgumentNullException(nameof(from));

    /// <summary>The old name.</summary>
    public string From { get; }
}
