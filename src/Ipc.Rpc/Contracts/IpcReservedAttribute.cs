using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>Numbers that earlier fields of this message, or values of this enum, had. They must not be used
/// again.</summary>
/// <remarks>Older peers still send them, and would misread new fields with these numbers.</remarks>
[AttributeUsage(
    AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum, AllowMultiple = true, Inherited = false)]
public sealed class IpcReservedAttribute : Attribute
{
    /// <summary>Lists the numbers.</summary>
    public IpcReservedAttribute(params int[] numbers) => Numbers = numbers;

    /// <summary>The numbers.</summary>
    public IReadOnlyList<int> Numbers { get; }
}
