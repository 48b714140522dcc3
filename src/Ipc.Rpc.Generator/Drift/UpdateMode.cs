using Microsoft.CodeAnalysis.Diagnostics;

namespace Ipc.Rpc.Generator;

/// <summary>What <c>-p:IpcUpdateContracts=...</c> asks for.</summary>
internal enum UpdateMode
{
    /// <summary>Compare, and change nothing.</summary>
    None,

    /// <summary><c>true</c>: write what is out of date; a break stays an error.</summary>
    Compatible,

    /// <summary><c>breaking</c>: write everything. For contracts that nobody has yet.</summary>
    Breaking,
}

/// <summary>Reads the mode from the build's properties.</summary>
internal static class UpdateModes
{
    public static UpdateMode Of(AnalyzerConfigOptions options)
    {
        options.TryGetValue("build_property.IpcUpdateContracts", out string? value);
        return value?.ToLowerInvariant() switch
        {
            "true" => UpdateMode.Compatible,
            "breaking" => UpdateMode.Breaking,
            _ => UpdateMode.None,
        };
    }
}
