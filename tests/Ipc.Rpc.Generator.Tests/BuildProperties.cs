using System.Diagnostics.CodeAnalysis;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>A build with <c>-p:IpcUpdateContracts=...</c> and with the folder of the pages, or without what is null.</summary>
internal sealed class BuildProperties(string? update, string? pages = null) : AnalyzerConfigOptionsProvider
{
    public override AnalyzerConfigOptions GlobalOptions { get; } = new Options(update, pages);

    public override AnalyzerConfigOptions GetOptions(SyntaxTree tree) => GlobalOptions;

    public override AnalyzerConfigOptions GetOptions(AdditionalText textFile) => GlobalOptions;

    private sealed class Options(string? update, string? pages) : AnalyzerConfigOptions
    {
        public override bool TryGetValue(string key, [NotNullWhen(true)] out string? value)
        {
            value = key switch
            {
                "build_property.IpcUpdateContracts" => update,
                "build_property.IpcRpcDiagnosticPages" => pages,
                _ => null,
            };
            return value is not null;
        }
    }
}
