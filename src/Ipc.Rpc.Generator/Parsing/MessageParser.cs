using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>Classes, records and structs with [DataContract] (or protobuf-net's [ProtoContract], or MessagePack-CSharp's [MessagePackObject]): their fields, and how they are made.</summary>
internal sealed class MessageParser
{
    private const int MaxNumber = 536870911;
    private const int FirstReserved = 19000;
    private const int LastReserved = 19999;

    private readonly ParseContext _context;
    private readonly FieldTypeParser _types;
    private readonly Dictionary<ISymbol, ValueModel?> _seen = new(SymbolEqualityComparer.Default);

    public MessageParser(ParseContext context, FieldTypeParser types)
    {
        _context = context;
        _types = types;
    }

    public static bool IsMessage(INamedTypeSymbol type)
        => type.TypeKind is TypeKind.Class or TypeKind.Struct
            && (type.Attribute(TypeNames.DataContract) is not null || type.Attribute(TypeNames.ProtoContract) is not null
                || type.Attribute(TypeNames.MessagePackObject) is not null || GoogleMessages.IsOne(type));

    public ValueModel? Parse(INamedTypeSymbol type, FieldSite site)
    {
        type = (INamedTypeSymbol)type.WithNullableAnnotation(NullableAnnotation.None);
        if (_seen.TryGetValue(type, out ValueModel? known))
            return known;

        (string Reason, string Remedy)? refusal = Refusal(type);
        string name = ProtoNames.OfType(type);
        if (refusal is not null)
            _context.Report(Diagnostics.UnsupportedType, site.Location, type.Readable(), site.Path, refusal.Value.Reason, refusal.Value.Remedy);
        if (refusal is not null || !_context.TakeName(name, type.Readable(), site.Location))
        {
            _seen.Add(type, null);
            return null;
        }

        if (GoogleMessages.IsOne(type))
        {
            (string protoType, string import) = GoogleMessages.Locate(type, _context.Compilation);
            var foreign = new ValueModel(ProtoKind.Message, protoType, type.NonNullCode(), name, IsReference: true);
            _seen.Add(type, foreign);
            _context.Messages.Add(new MessageModel(name, type.NonNullCode(), MessageForm.Google, true, false, default, default, default, Import: import, ForeignName: protoType, IsPublic: ContractParser.IsPublic(type)));
            return foreign;
        }

        // Known before its fields are: a message may contain itself. Its place in the .proto is where it was first met.
        var value = new ValueModel(ProtoKind.Message, name, type.NonNullCode(), name, type.IsReferenceType);
        _seen.Add(type, value);
        int place = _context.Messages.Count;
        MessageModel? message = ParseFields(type, name, site);
        if (message is null)
            return null;
        _context.Messages.Insert(place, message);
        return value;
    }

    private (string Reason, string Remedy)? Refusal(INamedTypeSymbol type)
    {
        if (Annotations.Refusal(type) is { } refused)
            return refused;
        if (type.IsGenericType)
            return ("a message is not generic", "write one for each type");
        if (type.IsAbstract)
            return ("a message is not abstract", "use a class that can be made");
        if (type.IsRefLikeType)
            return ("a message is not a ref struct", "make it an ordinary struct");
        if (!_context.Compilation.IsSymbolAccessibleWithin(type, _context.Compilation.Assembly))
            return ("it is not accessible to generated code", "make it and the types around it public or internal");

        for (INamedTypeSymbol? parent = type.BaseType; parent is not null; parent = parent.BaseType)
        {
            if (parent.GetMembers().Any(static m => Annotations.NumberAttribute(m) is not null))
                return ("protobuf has no inheritance, and its base class '" + parent.Readable() + "' has fields", "use a field of the base class instead, or copy its members");
        }

        return null;
    }

    private MessageModel? ParseFields(INamedTypeSymbol type, string name, FieldSite site)
    {
        var fields = new List<FieldModel>();
        var members = new Dictionary<int, ISymbol>();
        var json = new Dictionary<string, string>();
        bool valid = true;

        foreach (ISymbol member in type.GetMembers())
        {
            AttributeData? attribute = Annotations.NumberAttribute(member);
            if (attribute is null || member.IsStatic)
                continue;

            FieldSite memberSite = site.Member(member);
            int? number = Annotations.Number(attribute);
            string shown = type.Readable() + "." + member.Name;
            if (number is null)
            {
                _context.Report(Diagnostics.MissingNumber, memberSite.Location, shown);
                valid = false;
                continue;
            }

            if (number is < 1 or > MaxNumber or (>= FirstReserved and <= LastReserved))
            {
                _context.Report(Diagnostics.InvalidNumber, memberSite.Location, shown, number);
                valid = false;
                continue;
            }

            if (members.TryGetValue(number.Value, out ISymbol? other))
            {
                _context.Report(Diagnostics.DuplicateNumber, memberSite.Location, shown, number, type.Readable() + "." + other.Name);
                valid = false;
                continue;
            }

            members.Add(number.Value, member);
            _context.Site(name, number.Value, memberSite.Location, member);
            string protoName = attribute.Named("Name") as string is { Length: > 0 } given ? given : ProtoNames.Snake(member.Name);
            if (!ProtoNames.IsIdentifier(protoName))
            {
                _context.Report(Diagnostics.NameClash, memberSite.Location, protoName, shown, "it is not an identifier of letters, digits and '_'", "set another one by the attribute's Name");
                valid = false;
                continue;
            }

            string key = ProtoNames.JsonKey(protoName);
            if (json.TryGetValue(key, out string? namesake))
            {
                _context.Report(Diagnostics.NameClash, memberSite.Location, protoName, shown, "it differs only in case or underscores from that of " + namesake, "set another one by the attribute's Name");
                valid = false;
                continue;
            }

            json.Add(key, shown);
            ITypeSymbol? memberType = (member as IPropertySymbol)?.Type ?? (member as IFieldSymbol)?.Type;
            if (memberType is null)
                continue; // attributes cannot be elsewhere
            if (Annotations.IsOldFormat(type, memberType))
            {
                _context.Report(Diagnostics.UnsupportedType, memberSite.Location, memberType.Readable(), memberSite.Path, "protobuf-net is told to write it in a format of its own ([CompatibilityLevel])", "set CompatibilityLevel.Level300, or remove the attribute");
                valid = false;
                continue;
            }

            FieldModel? field = _types.Parse(memberType, number.Value, protoName, member.Name, attribute.Named("DataFormat") as int? ?? 0, memberSite);
            if (field is null)
                valid = false;
            else
                fields.Add(field);
        }

        if (!valid)
            return null;

        fields.Sort(static (a, b) => a.Number.CompareTo(b.Number));
        _context.Site(name, site.Type(type).Location);
        var construction = Construction.Of(type, fields, members, _context.Compilation);
        if (construction.Problem is not null)
        {
            _context.Report(Diagnostics.NotConstructible, site.Location, type.Readable(), construction.Problem, construction.Remedy);
            return null;
        }

        if (Annotations.Callback(type) is { } callback)
            _context.Remark(Diagnostics.IgnoredCallback, callback.Locations.Length > 0 && callback.Locations[0].IsInSource ? callback.Locations[0] : site.Location, callback.ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat));
        return new MessageModel(
            name,
            type.NonNullCode(),
            MessageForm.Declared,
            type.IsReferenceType,
            type.IsValueType && !type.IsReadOnly,
            new EquatableArray<FieldModel>(fields),
            new EquatableArray<int>(construction.ConstructorFields),
            new EquatableArray<int>(construction.FilledFields),
            ReservedNumbers.Of(type),
            IsPublic: ContractParser.IsPublic(type));
    }
}
