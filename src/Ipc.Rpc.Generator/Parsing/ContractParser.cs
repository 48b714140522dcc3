using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Ipc.Rpc.Generator;

/// <summary>From an interface with [IpcService], or one of the attributes that stand for it, to the model of its contract. The generator takes the model, the analyzer the problems.</summary>
internal static class ContractParser
{
    /// <summary>Members that a generated class has anyway; a method of such a name gets another field name.</summary>
    private static readonly string[] _ownNames =
    {
        "Client", "Callback", "Codecs", "Service", "ServicePerCall", "RegisterContract", "ServiceName", "Proto", "Proxy",
        "Equals", "ReferenceEquals", "GetHashCode", "GetType", "ToString", "MemberwiseClone", "Finalize",
        "implementation", // no member, but what Service has in hand when it names the fields
    };

    /// <summary>The model, or <see langword="null"/> when there are problems.</summary>
    public static ContractModel? Parse(INamedTypeSymbol type, AttributeData attribute, Compilation compilation, out ParseContext context)
    {
        context = new ParseContext(compilation);
        Location location = type.Locations[0];

        string serviceName = ContractNames.Service(type, attribute);
        if (!ProtoNames.IsDottedIdentifier(serviceName))
            context.Report(Diagnostics.InvalidServiceName, location, serviceName);
        if (Generic(type))
            context.Report(Diagnostics.GenericContract, location, type.Readable());
        if (type.IsFileLocal() || !compilation.IsSymbolAccessibleWithin(type, compilation.Assembly))
            context.Report(Diagnostics.InaccessibleContract, location, type.Readable());
        if (type.DeclaringSyntaxReferences[0].SyntaxTree.Options is CSharpParseOptions { LanguageVersion: < LanguageVersion.CSharp8 })
            context.Report(Diagnostics.OldLanguage, location, type.Readable());
        if (context.Problems.Count > 0)
            return null;

        string bare = ContractNames.Bare(type);
        string className = ContractNames.Class(type);
        CallbackModel? callback = Callback(type, attribute, context);
        if (!context.TakeName(bare, "the service", location))
            return null;

        string space = ContractNames.Namespace(type);
        List<MethodModel> methods = Methods(type, className, space, serviceName, context);
        if (context.Unannotated.Count > 0)
            context.Remark(Diagnostics.UnannotatedNull, location, Places(context.Unannotated));
        if (context.Problems.Count > 0)
            return null;

        return new ContractModel(
            space,
            IsPublic(type) ? "public" : "internal",
            type.NonNullCode(),
            className,
            serviceName,
            bare,
            callback,
            RegistersItself(type, compilation),
            new EquatableArray<MethodModel>(methods),
            new EquatableArray<MessageModel>(context.Messages),
            new EquatableArray<EnumModel>(context.Enums));
    }

    /// <summary>The first three, and how many more: code that was not written for nullable has them everywhere, and one line is for all of them.</summary>
    private static string Places(List<string> paths)
    {
        const int Named = 3;
        int more = paths.Count - Named;
        return string.Join(", ", paths.Take(Named)) + (more > 0 ? " and " + more.ToString(System.Globalization.CultureInfo.InvariantCulture) + " more" : "");
    }

    private static List<MethodModel> Methods(INamedTypeSymbol type, string className, string space, string serviceName, ParseContext context)
    {
        var wire = new List<List<Signature>>(); // those of one wire name: one, or a synchronous and an asynchronous one
        foreach (Signature signature in Signatures(type, context))
        {
            List<Signature>? namesakes = wire.Find(s => s[0].WireName == signature.WireName);
            if (namesakes is null)
                wire.Add(new List<Signature> { signature });
            else if (namesakes.Count == 1 && namesakes[0].IsTwinOf(signature))
                namesakes.Insert(signature.Member.IsSynchronous ? 0 : 1, signature);
            else
                context.Report(Diagnostics.DuplicateMethod, signature.Location, signature.Shown, signature.WireName, namesakes[0].Shown);
        }

        var ids = new Dictionary<uint, Signature>();
        var payloads = new PayloadParser(context, "global::" + (space.Length == 0 ? "" : space + ".") + className);
        var methods = new List<MethodModel>();
        foreach (List<Signature> signatures in wire)
        {
            Signature first = signatures[0];
            uint id = MethodId.Of(serviceName, first.WireName);
            if (ids.TryGetValue(id, out Signature? other))
                context.Report(Diagnostics.IdCollision, first.Location, first.WireName, other.WireName, "0x" + id.ToString("x8", System.Globalization.CultureInfo.InvariantCulture));
            else
                ids.Add(id, first);

            int before = context.Problems.Count;
            PayloadModel? request = payloads.Request(first);
            PayloadModel? input = payloads.Input(first);
            PayloadModel? progress = payloads.Progress(first);
            PayloadModel? response = payloads.Response(first);
            foreach (Signature signature in signatures)
                payloads.Faults(signature.Method);
            context.Site("rpc " + first.WireName, first.Location);
            if (context.Problems.Count == before && request is not null && response is not null)
            {
                var members = new EquatableArray<MemberModel>(signatures.Select(static s => s.Member));
                bool inline = signatures.Any(static s => s.IsInline);
                methods.Add(new MethodModel(first.WireName, first.WireName, first.Kind, first.IsOneWay, inline, signatures.Any(static s => s.IsIdempotent), signatures.Any(static s => s.IsOnce), request, input, progress, response, members));
            }
        }

        payloads.Faults(type);

        // Only now are all the names of nested types known, which a field must not have.
        var taken = new HashSet<string>(_ownNames) { className };
        foreach (MessageModel message in context.Messages)
        {
            taken.Add(message.Name);
            taken.Add(message.Codec);
        }

        for (int i = 0; i < methods.Count; i++)
        {
            string field = methods[i].WireName;
            while (!taken.Add(field))
                field += "Method";
            methods[i] = methods[i] with { Field = field };
        }

        return methods;
    }

    private static IEnumerable<Signature> Signatures(INamedTypeSymbol type, ParseContext context)
    {
        foreach (INamedTypeSymbol level in new[] { type }.Concat(type.AllInterfaces))
        {
            if (level.FullName() is "System.IDisposable" or "System.IAsyncDisposable")
            {
                context.Report(Diagnostics.DisposableContract, type.Locations[0], type.Readable(), level.Readable());
                continue;
            }

            foreach (ISymbol member in level.GetMembers())
            {
                // Accessors are reported as their property or event; what has a body of its own is not called remotely.
                if (member is INamedTypeSymbol or IMethodSymbol { MethodKind: not MethodKind.Ordinary } || !member.IsAbstract)
                    continue;

                Location location = member.Locations[0].IsInSource ? member.Locations[0] : type.Locations[0];
                if (member is not IMethodSymbol method || method.IsStatic)
                    context.Report(Diagnostics.UnsupportedMember, location, level.Name + "." + member.Name, Describe(member));
                else if (Signature.Parse(method, context) is { } signature)
                    yield return signature;
            }
        }
    }

    private static string Describe(ISymbol member) => member switch
    {
        IPropertySymbol { IsIndexer: true } => "an indexer",
        IPropertySymbol => "a property",
        IEventSymbol => "an event",
        _ => "a static member",
    };

    private static CallbackModel? Callback(INamedTypeSymbol type, AttributeData attribute, ParseContext context)
    {
        object? given = attribute.Named("Callback") ?? attribute.Named("CallbackContract"); // the second is WCF's
        if (given is null)
            return null;

        if (given is not INamedTypeSymbol callback || callback.ContractAttribute() is not { } own)
        {
            context.Report(Diagnostics.InvalidCallback, type.Locations[0], type.Readable(), (given as ITypeSymbol)?.Readable() ?? "?");
            return null;
        }

        if (new[] { callback }.Concat(callback.AllInterfaces).SelectMany(static level => level.GetMembers()).OfType<IMethodSymbol>().FirstOrDefault(Signature.Once) is { } once)
            context.Report(Diagnostics.MisplacedOnce, type.Locations[0], once.ContainingType.Name + "." + once.Name, "'" + type.Readable() + "' is called back with it, and what is called back ends with its connection", "remove [IpcOnce]");

        string space = ContractNames.Namespace(callback);
        return new CallbackModel(
            callback.NonNullCode(),
            "global::" + (space.Length == 0 ? "" : space + ".") + ContractNames.Class(callback),
            ContractNames.Service(callback, own));
    }

    /// <summary>A module initializer is C# 9, and its attribute came with .NET 5. A polyfill counts, but not one that another generator adds, which is not seen here.</summary>
    private static bool RegistersItself(INamedTypeSymbol type, Compilation compilation)
        => type.DeclaringSyntaxReferences[0].SyntaxTree.Options is CSharpParseOptions { LanguageVersion: >= LanguageVersion.CSharp9 }
            && compilation.GetTypeByMetadataName("System.Runtime.CompilerServices.ModuleInitializerAttribute") is { } attribute
            && compilation.IsSymbolAccessibleWithin(attribute, compilation.Assembly);

    private static bool Generic(INamedTypeSymbol? type) => type is not null && (type.TypeParameters.Length > 0 || Generic(type.ContainingType));

    internal static bool IsPublic(INamedTypeSymbol? type) => type is null || (type.DeclaredAccessibility == Accessibility.Public && IsPublic(type.ContainingType));

    // IsFileLocal came with Roslyn 4.4; a file-local type is known by its modifier here.
    private static bool IsFileLocal(this INamedTypeSymbol type)
        => type.DeclaringSyntaxReferences.Any(static r => r.GetSyntax() is Microsoft.CodeAnalysis.CSharp.Syntax.TypeDeclarationSyntax declaration
            && declaration.Modifiers.Any(static m => m.ValueText == "file"));
}
