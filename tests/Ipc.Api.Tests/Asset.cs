using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Ipc.Api.Tests;

/// <summary>One library as it ships for one framework, read as a compiler reads it: never loaded, never run.</summary>
internal sealed class Asset
{
    public static readonly string[] Libraries = ["Ipc.Core", "Ipc.Rpc", "Ipc.Hosting", "Ipc.Native", "Ipc.Rpc.MessagePack", "Ipc.Rpc.ProtobufNet", "Ipc.Pipelines", "Ipc.Tcp", "Ipc.Rpc.RabbitMq", "Ipc.Hosting.RabbitMq", "Ipc.AspNetCore", "Ipc.Grpc"];

    private static readonly string[] s_frameworks = ["netstandard2.0", "net8.0", "net10.0"];

    private readonly Dictionary<string, XElement> _documents;

    public Asset(string library, string framework)
    {
        Library = library;
        Framework = framework;
        string folder = Path.Combine(AppContext.BaseDirectory, "assets", framework);
        MetadataReference subject = MetadataReference.CreateFromFile(Path.Combine(folder, library + ".dll"));
        IEnumerable<MetadataReference> others = Directory.GetFiles(folder, "*.dll")
            .Where(file => Path.GetFileNameWithoutExtension(file) != library)
            .Concat(((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Where(static file => IsOfTheFramework(file) || IsOfAHost(file) || IsOfASerializer(file) || IsOfGrpc(file)))
            .Select(static file => MetadataReference.CreateFromFile(file));
        var compilation = CSharpCompilation.Create(
            "review",
            references: others.Prepend(subject),
            options: new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, assemblyIdentityComparer: DesktopAssemblyIdentityComparer.Default));
        Assembly = (IAssemblySymbol)compilation.GetAssemblyOrModuleSymbol(subject)!;
        _documents = XDocument.Load(Path.Combine(folder, library + ".xml")).Descendants("member").ToDictionary(static m => m.Attribute("name")!.Value);
    }

    /// <summary>What a library ships for: what it is built on is not everywhere.</summary>
    public static string[] FrameworksOf(string library) => library is "Ipc.AspNetCore" or "Ipc.Grpc" or "Ipc.Rpc.RabbitMq" or "Ipc.Hosting.RabbitMq" ? s_frameworks[1..] : s_frameworks;

    public string Library { get; }

    public string Framework { get; }

    public IAssemblySymbol Assembly { get; }

    /// <summary>The types that code outside the library can name.</summary>
    public IEnumerable<INamedTypeSymbol> Types() => TypesOf(Assembly.GlobalNamespace);

    /// <summary>What that code can call, override or read of them. Accessors belong to their property or event, a delegate is one line.</summary>
    public static IEnumerable<ISymbol> Members(INamedTypeSymbol type) => type.TypeKind == TypeKind.Delegate ? [] : type.GetMembers().Where(static m =>
        m is not INamedTypeSymbol && IsVisible(m) && !m.IsImplicitlyDeclared && m is not IMethodSymbol { AssociatedSymbol: not null });

    /// <summary>The words of the XML document about a symbol; null when there are none.</summary>
    public string? DocumentOf(ISymbol symbol) =>
        _documents.TryGetValue(symbol.GetDocumentationCommentId()!, out XElement? element)
            && (element.Value.Trim().Length != 0 || element.Element("inheritdoc") != null)
            ? element.Value
            : null;

    private static IEnumerable<INamedTypeSymbol> TypesOf(INamespaceOrTypeSymbol container)
    {
        foreach (INamedTypeSymbol type in container.GetTypeMembers().Where(IsVisible))
        {
            yield return type;
            foreach (INamedTypeSymbol nested in TypesOf(type))
                yield return nested;
        }

        if (container is not INamespaceSymbol space)
            yield break;
        foreach (INamedTypeSymbol type in space.GetNamespaceMembers().SelectMany(TypesOf))
            yield return type;
    }

    private static bool IsVisible(ISymbol symbol)
        => symbol.DeclaredAccessibility is Accessibility.Public
            || (symbol.DeclaredAccessibility is Accessibility.Protected or Accessibility.ProtectedOrInternal && !symbol.ContainingType.IsSealed);

    /// <summary>What the hosting library names: the tests run with the framework that has it.</summary>
    private static bool IsOfAHost(string file) => Path.GetFileName(file).StartsWith("Microsoft.Extensions.", StringComparison.Ordinal)
        || Path.GetFileName(file).StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal);

    /// <summary>What the adapters name: it lies beside the tests.</summary>
    private static bool IsOfASerializer(string file)
        => Path.GetFileNameWithoutExtension(file) is "MessagePack" or "MessagePack.Annotations" or "protobuf-net" or "protobuf-net.Core";

    /// <summary>What the gateway names: it lies beside the tests, too.</summary>
    private static bool IsOfGrpc(string file) => Path.GetFileName(file).StartsWith("Grpc.", StringComparison.Ordinal);

    private static bool IsOfTheFramework(string file) => Path.GetDirectoryName(file) == Path.GetDirectoryName(typeof(object).Assembly.Location);
}
