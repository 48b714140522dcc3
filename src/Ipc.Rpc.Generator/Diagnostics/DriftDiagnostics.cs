using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>What is reported when a contract is not its checked-in .proto any more. Each has a page docs/diagnostics/&lt;id&gt;.md.</summary>
internal static class DriftDiagnostics
{
    private const string Category = "Ipc.Rpc.Drift";
    private const string Pages = "docs/diagnostics/";

    public static readonly DiagnosticDescriptor NumberReused = new(
        "IPCRPC030",
        "A field number is not used again",
        "'{0}' has the number {1}, which '{2}' of type {3} has in the checked-in .proto, and peers built before read one as the other; give it another number",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC030.md");

    public static readonly DiagnosticDescriptor FieldTypeChanged = new(
        "IPCRPC031",
        "A field keeps its type",
        "'{0}' is {1} in the checked-in .proto and {2} now, and peers built before cannot read it; keep its type, or give the new field another number",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC031.md");

    public static readonly DiagnosticDescriptor FieldRemoved = new(
        "IPCRPC032",
        "The number of a field that is removed is reserved",
        "'{0}' with the number {1} is gone; reserve the number by [IpcReserved({1})], so that no field has it again",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC032.md");

    public static readonly DiagnosticDescriptor NumberChanged = new(
        "IPCRPC033",
        "A field keeps its number",
        "'{0}' has the number {1} in the checked-in .proto and {2} now, and peers built before look for it under the old one; give it the number {1} again",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC033.md");

    public static readonly DiagnosticDescriptor ReservedNumberUsed = new(
        "IPCRPC034",
        "A reserved number stays reserved",
        "The number {1} of '{0}' is reserved in the checked-in .proto and {2}; {3}",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC034.md");

    public static readonly DiagnosticDescriptor MethodRemoved = new(
        "IPCRPC035",
        "A method is not removed",
        "The method '{0}' of the checked-in .proto is gone, and peers built before still call it; keep it, or give the service another name and serve both for a while",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC035.md");

    public static readonly DiagnosticDescriptor MessagesChanged = new(
        "IPCRPC036",
        "A method keeps its messages",
        "The {1} of the method '{0}' is {2} in the checked-in .proto and {3} now; keep it, and write another method for what is new",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC036.md");

    public static readonly DiagnosticDescriptor KindChanged = new(
        "IPCRPC037",
        "A method keeps its kind",
        "The method '{0}' is {1} in the checked-in .proto and {2} now; keep it, and write another method for what is new",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC037.md");

    public static readonly DiagnosticDescriptor ServiceRenamed = new(
        "IPCRPC038",
        "A service keeps its name",
        "The service is called \"{0}\" in the checked-in .proto and \"{1}\" now; give it the old name again, and write another interface for another version",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC038.md");

    public static readonly DiagnosticDescriptor EnumValueChanged = new(
        "IPCRPC039",
        "An enum value keeps its number",
        "'{0}' has the number {1} in the checked-in .proto and {2}; {3}",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC039.md");

    public static readonly DiagnosticDescriptor ManifestOutOfDate = new(
        "IPCRPC040",
        "The checked-in .proto is up to date",
        "'{0}' is not what the contract '{1}' generates, though compatible with it; update it by the code fix or by 'dotnet build -p:IpcUpdateContracts=true'",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC040.md");

    public static readonly DiagnosticDescriptor UnreadableManifest = new(
        "IPCRPC041",
        "The checked-in .proto can be read",
        "'{0}' cannot be read: {1}; correct it, or delete it and write it anew by 'dotnet build -p:IpcUpdateContracts=true'",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC041.md",
        customTags: WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor NoManifest = new(
        "IPCRPC042",
        "A contract has a checked-in .proto",
        "The contract '{0}' has no .proto that it could be compared with; write it by the code fix or by 'dotnet build -p:IpcUpdateContracts=true'",
        Category,
        DiagnosticSeverity.Info,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC042.md");

    public static readonly DiagnosticDescriptor OrphanedManifest = new(
        "IPCRPC043",
        "A checked-in .proto has a contract",
        "'{0}' was generated from the contract '{1}', which is not in this project any more, and peers built before still call it; bring the contract back, or delete the file",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC043.md",
        customTags: WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor NameChanged = new(
        "IPCRPC045",
        "A field keeps its name, or says that it was renamed",
        "'{0}' has the number {1}, which is called '{2}' in the checked-in .proto; say by [IpcRenamed(\"{2}\")] that it means what it meant, or give it another number",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC045.md");

    public static readonly DiagnosticDescriptor CallbackChanged = new(
        "IPCRPC044",
        "A contract keeps its callback",
        "The callback of this contract is '{0}' in the checked-in .proto and {1} now, and sides built before and after do not understand each other's callbacks; keep the callback, or give the service another name",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        helpLinkUri: Pages + "IPCRPC044.md");
}
