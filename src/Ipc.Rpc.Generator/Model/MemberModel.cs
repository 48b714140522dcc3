using System.Collections.Generic;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>A method of the interface, to be implemented by the proxy.</summary>
/// <param name="Interface">The interface that declares it, fully qualified.</param>
/// <param name="Name">Its C# name.</param>
/// <param name="ReturnType">Its declared return type.</param>
/// <param name="Style">What kind of return type that is.</param>
/// <param name="Parameters">All parameters, those that are not sent too.</param>
internal sealed record MemberModel(string Interface, string Name, string ReturnType, ResultStyle Style, EquatableArray<ParameterModel> Parameters)
{
    /// <summary>What is sent.</summary>
    public IEnumerable<ParameterModel> Arguments => Parameters.Where(static p => p.Role == ParameterRole.Argument);

    public bool IsSynchronous => Style is ResultStyle.Void or ResultStyle.Value;

    public ParameterModel? Having(ParameterRole role) => Parameters.FirstOrDefault(p => p.Role == role);
}
