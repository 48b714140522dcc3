using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>Enums: for the .proto their values, for the codec only their size.</summary>
internal sealed class EnumParser
{
    private readonly ParseContext _context;
    private readonly Dictionary<ISymbol, ValueModel?> _seen = new(SymbolEqualityComparer.Default);

    public EnumParser(ParseContext context) => _context = context;

    public ValueModel? Parse(INamedTypeSymbol type, FieldSite site)
    {
        if (!_seen.TryGetValue(type, out ValueModel? value))
            _seen.Add(type, value = ParseNew(type, site));
        return value;
    }

    private ValueModel? ParseNew(INamedTypeSymbol type, FieldSite site)
    {
        string? reader = type.EnumUnderlyingType?.SpecialType switch
        {
            SpecialType.System_Int32 => "Int32",
            SpecialType.System_Int16 => "Int16",
            SpecialType.System_SByte => "SByte",
            SpecialType.System_Byte => "Byte",
            SpecialType.System_UInt16 => "UInt16",
            _ => null,
        };
        if (reader is null)
        {
            _context.Report(Diagnostics.UnsupportedEnum, site.Location, type.Readable(), type.EnumUnderlyingType?.Readable() ?? "?");
            return null;
        }

        if (!_context.Compilation.IsSymbolAccessibleWithin(type, _context.Compilation.Assembly))
        {
            _context.Report(Diagnostics.UnsupportedType, site.Location, type.Readable(), site.Path, "it is not accessible to generated code", "make it and the types around it public or internal");
            return null;
        }

        string name = ProtoNames.OfType(type);
        if (!_context.TakeName(name, type.Readable(), site.Location))
            return null;

        var values = new List<EnumValueModel>();
        string prefix = ProtoNames.UpperSnake(name) + "_";
        foreach (IFieldSymbol field in type.GetMembers().OfType<IFieldSymbol>().Where(static f => f.HasConstantValue))
        {
            string valueName = prefix + ProtoNames.UpperSnake(field.Name);
            if (!_context.TakeName(valueName, type.Readable() + "." + field.Name, site.Location))
                return null;
            _context.Site(valueName, site.Member(field).Location);
            _context.Renamed(valueName, field);
            values.Add(new EnumValueModel(valueName, Convert.ToInt32(field.ConstantValue, CultureInfo.InvariantCulture)));
        }

        // proto3 wants a zero, and wants it first.
        int zero = values.FindIndex(static v => v.Number == 0);
        EnumValueModel first = zero >= 0 ? values[zero] : new EnumValueModel(prefix + "UNSPECIFIED", 0);
        if (zero >= 0)
            values.RemoveAt(zero);
        else if (!_context.TakeName(first.Name, "the zero of " + type.Readable(), site.Location))
            return null;
        values.Insert(0, first);

        bool aliases = values.Select(static v => v.Number).Distinct().Count() != values.Count;
        _context.Enums.Add(new EnumModel(name, aliases, new EquatableArray<EnumValueModel>(values), ReservedNumbers.Of(type)));
        _context.Site(name, site.Type(type).Location);
        return new ValueModel(ProtoKind.Enum, name, type.NonNullCode(), reader, IsReference: false);
    }
}
