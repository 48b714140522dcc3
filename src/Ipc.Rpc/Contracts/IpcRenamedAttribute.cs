using System;

namespace Ipc.Rpc;

/// <summary>A name that this field, parameter or enum value once had: it means what it meant, and only its name is
/// new.</summary>
/// <remarks>
/// Names are not on the wire, so peers built before go on. But two fields that have changed places look like two that
/// were renamed, and peers built before would read one as the other: without this, another name is an error of the
/// build (IPCRPC045). It may stay for ever, and may go once the checked-in .proto has the new name.
/// </remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Field | AttributeTargets.Parameter, AllowMultiple = true)]
public sealed class IpcRenamedAttribute : Attribute
{
    /// <summary>Gives the old name.</summary>
    /// <param name="from">As the .proto has it, or as C# had it.</param>
    public IpcRenamedAttribute(string from) => From = from ?? throw new ArgumentNullException(nameof(from));

    /// <summary>The old name.</summary>
    public string From { get; }
}
