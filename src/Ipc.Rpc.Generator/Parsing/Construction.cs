using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>How a message object comes from its fields: constructor, then initializer, then collections that are filled in place.</summary>
internal sealed class Construction
{
    private Construction(string? problem, string remedy, IReadOnlyList<int> constructorFields, IReadOnlyList<int> filledFields)
    {
        Problem = problem;
        Remedy = remedy;
        ConstructorFields = constructorFields;
        FilledFields = filledFields;
    }

    public string? Problem { get; }

    public string Remedy { get; }

    public IReadOnlyList<int> ConstructorFields { get; }

    public IReadOnlyList<int> FilledFields { get; }

    public static Construction Of(INamedTypeSymbol type, List<FieldModel> fields, Dictionary<int, ISymbol> members, Compilation compilation)
    {
        bool Accessible(ISymbol symbol) => compilation.IsSymbolAccessibleWithin(symbol, compilation.Assembly);

        FieldModel? hidden = fields.FirstOrDefault(f => !Accessible(members[f.Number]) || members[f.Number] is IPropertySymbol { GetMethod: var getter } && (getter is null || !Accessible(getter)));
        if (hidden is not null)
            return Impossible("'" + hidden.Member + "' cannot be read by generated code", "make it public or internal, with a getter");

        bool Settable(FieldModel field) => members[field.Number] switch
        {
            IPropertySymbol { SetMethod: { } setter } => Accessible(setter),
            IFieldSymbol { IsReadOnly: false, IsConst: false } => true,
            _ => false,
        };

        bool Fillable(FieldModel field) => field.Shape.IsFillable() && !field.Type.StartsWith("global::System.Collections.Generic.IReadOnly", StringComparison.Ordinal);

        List<FieldModel> unsettable = fields.Where(f => !Settable(f)).ToList();
        string remedy = "give them a setter or init, or write such a constructor";
        string reason = "it has no constructor whose parameters have the names and types of fields and cover those without a setter";

        // The smallest constructor that covers what cannot be set otherwise; the parameterless one if possible.
        foreach (IMethodSymbol constructor in type.InstanceConstructors.Where(Accessible).OrderBy(static c => c.Parameters.Length))
        {
            List<FieldModel?> taken = constructor.Parameters.Select(p => Match(p, fields, members)).ToList();
            if (taken.Contains(null))
                continue;

            List<FieldModel> rest = unsettable.Where(f => !taken.Contains(f)).ToList();
            if (!rest.All(Fillable))
                continue;

            string? required = UnsetRequired(type, constructor, fields, members, taken);
            if (required is not null)
            {
                reason = "its required member '" + required + "' is not a field that can be set";
                remedy = "give it [DataMember(Order = n)], or remove 'required'";
                continue;
            }

            return new Construction(null, "", taken.Select(static f => f!.Number).ToList(), rest.Select(static f => f.Number).ToList());
        }

        return Impossible(reason, remedy);
    }

    private static FieldModel? Match(IParameterSymbol parameter, List<FieldModel> fields, Dictionary<int, ISymbol> members)
        => fields.FirstOrDefault(f => parameter.RefKind == RefKind.None
            && string.Equals(f.Member, parameter.Name, StringComparison.OrdinalIgnoreCase)
            && SymbolEqualityComparer.Default.Equals(parameter.Type, (members[f.Number] as IPropertySymbol)?.Type ?? ((IFieldSymbol)members[f.Number]).Type));

    /// <summary>A required member that the object initializer would not set.</summary>
    private static string? UnsetRequired(INamedTypeSymbol type, IMethodSymbol constructor, List<FieldModel> fields, Dictionary<int, ISymbol> members, List<FieldModel?> taken)
    {
        if (constructor.Attribute("System.Diagnostics.CodeAnalysis.SetsRequiredMembersAttribute") is not null)
            return null;

        for (INamedTypeSymbol? level = type; level is not null; level = level.BaseType)
        {
            foreach (ISymbol member in level.GetMembers().Where(static m => IsRequired(m)))
            {
                FieldModel? field = fields.FirstOrDefault(f => SymbolEqualityComparer.Default.Equals(members[f.Number], member));
                if (field is null || taken.Contains(field))
                    return member.Name;
            }
        }

        return null;
    }

    // 'required' of source symbols is not an attribute that GetAttributes shows, and IsRequired came with Roslyn 4.4.
    private static bool IsRequired(ISymbol member)
        => member is IPropertySymbol or IFieldSymbol
            && member.DeclaringSyntaxReferences.Select(static r => r.GetSyntax()).Any(static s =>
                (s is Microsoft.CodeAnalysis.CSharp.Syntax.PropertyDeclarationSyntax property && property.Modifiers.Any(static m => m.ValueText == "required"))
                || (s.Parent?.Parent is Microsoft.CodeAnalysis.CSharp.Syntax.FieldDeclarationSyntax field && field.Modifiers.Any(static m => m.ValueText == "required")));

    private static Construction Impossible(string problem, string remedy) => new(problem, remedy, Array.Empty<int>(), Array.Empty<int>());
}
