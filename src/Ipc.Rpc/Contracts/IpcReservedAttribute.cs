using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>Numbers that fields of this message, or values of this enum, once had: none may have them again.</summary>
/// <remarks>Peers built before still send them, and would read something else in their place.</remarks>
[AttributeUsage(
    AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum, AllowMultiple = true, Inherited = false)]
public sealed class IpcReservedAttribute : Attribute
{
    /// <summary>Lists the numbers.</summary>
    public IpcReservedAttribute(params int[] numbers) => Numbers = numbers;

    /// <summary>The numbers.</summary>
    public IReadOnlyList<int> Numbers { get; }
}
