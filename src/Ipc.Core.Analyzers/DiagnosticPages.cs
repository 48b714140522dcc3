using System;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ipc.Analyzers;

/// <summary>Where the page about a diagnostic is, as an address that can be opened: the pages travel in the package, and its build file says where that is.</summary>
/// <remarks>Compiled into each assembly of analyzers. Without the build file the link stays what the descriptor has, the page's path in the package.</remarks>
internal readonly struct DiagnosticPages
{
    private readonly string? _folder;

    /// <param name="options">Those of the analyzer that reports.</param>
    /// <param name="property">The property of the build that has the folder of the pages.</param>
    public DiagnosticPages(AnalyzerOptions options, string property)
        => _folder = options.AnalyzerConfigOptionsProvider.GlobalOptions.TryGetValue("build_property." + property, out string? folder) ? folder : null;

    /// <summary>The descriptor with the address of its page.</summary>
    public DiagnosticDescriptor Linked(DiagnosticDescriptor descriptor)
        => !string.IsNullOrEmpty(_folder) && Uri.TryCreate(Path.Combine(_folder, descriptor.Id + ".md"), UriKind.Absolute, out Uri? page)
            ? With(descriptor, page.AbsoluteUri)
            : descriptor;

    private static DiagnosticDescriptor With(DiagnosticDescriptor of, string link)
        => new(of.Id, of.Title, of.MessageFormat, of.Category, of.DefaultSeverity, of.IsEnabledByDefault, of.Description, link, of.CustomTags.ToArray());
}
