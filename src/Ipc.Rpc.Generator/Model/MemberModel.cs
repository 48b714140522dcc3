using System.Collections.Generic;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>A method of the interface, to be implemented by the proxy.</summary>
/// <param name="Interface">The interface that declares it, fully qualified.</param>
/// <param name="Name">Its C# name.</param>
/// <param name="ReturnType">Its declared return type.</param>
/// <param name="Style">What kind of return type that is.</param>
/// <param name="Parameters">All parameters, the CancellationToken too.</param>
/// <param name="CancelName">The name of the CancellationToken parameter, or <see langword="null"/>.</param>
internal sealed record MemberModel(string Interface, string Name, string ReturnType, ResultStyle Style, EquatableArray<ParameterModel> Parameters, string? CancelName)
{
    /// <summary>What is sent.</summary>
    public IEnumerable<ParameterModel> Arguments => Parameters.Where(p => p.Name != CancelName);

    public bool IsSynchronous => Style is ResultStyle.Void or ResultStyle.Value;
}

/// <summary>A parameter as it is written in C#.</summary>
internal sealed record ParameterModel(string Type, string Name);
