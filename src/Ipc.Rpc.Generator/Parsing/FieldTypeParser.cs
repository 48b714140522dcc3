using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>From a C# type to the shape and the kind of a field; reports what cannot be sent.</summary>
internal sealed class FieldTypeParser
{
    private readonly ParseContext _context;
    private readonly EnumParser _enums;
    private readonly MessageParser _messages;
    private readonly TupleParser _tuples;
    private readonly WrapperParser _wrappers;

    public FieldTypeParser(ParseContext context)
    {
        _context = context;
        _enums = new EnumParser(context);
        _messages = new MessageParser(context, this);
        _tuples = new TupleParser(context, this);
        _wrappers = new WrapperParser(context);
    }

    /// <summary>The field, or <see langword="null"/> when its type cannot be sent; then that has been reported.</summary>
    public FieldModel? Parse(ITypeSymbol type, int number, string protoName, string member, int dataFormat, FieldSite site)
    {
        int place = _context.Unannotated.Count; // before what is within it
        FieldModel? field = ParseField(type, number, protoName, member, dataFormat, site);
        if (field is not null && type is { IsReferenceType: true, NullableAnnotation: NullableAnnotation.None } && (field.IsRepeated || field.Value.Kind != ProtoKind.Message))
            _context.Unannotated.Insert(place, site.Path);
        return field;
    }

    private FieldModel? ParseField(ITypeSymbol type, int number, string protoName, string member, int dataFormat, FieldSite site)
    {
        ITypeSymbol asDeclared = type;
        string declared = type.Code();
        bool optional = type.NullableAnnotation == NullableAnnotation.Annotated;
        if (type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable)
        {
            optional = true;
            type = nullable.TypeArguments[0];
        }

        (FieldShape shape, ITypeSymbol? element, ITypeSymbol? key) = Container(type);
        if (shape == FieldShape.Single)
        {
            ValueModel? single = ParseValue(type, dataFormat, site);
            return single is null ? null : new FieldModel(number, protoName, member, declared, shape, optional, single, null);
        }

        ValueModel? value = ParseElement(element!, dataFormat, site.Part(key is null ? "[]" : "{value}"));
        ValueModel? keyValue = key is null ? null : ParseElement(key, 0, site.Part("{key}"));
        if (value is null || (key is not null && keyValue is null))
            return null;

        if (keyValue is not null && !keyValue.Kind.IsMapKey())
        {
            Refuse(key!, site.Part("{key}"), "the key of a map is an integer, a bool, a string or a Guid", "use one of these, or a list of messages with key and value");
            return null;
        }

        if (shape.IsSorted() && !HasOrder(key ?? element!))
        {
            Refuse(type, site, "'" + (key ?? element!).Readable() + "' has no order that it could be sorted by", "implement IComparable, or use a container that is not sorted");
            return null;
        }

        if (optional)
            _context.Remark(Diagnostics.NullableCollection, site.Location, asDeclared.Readable(), site.Path);
        return new FieldModel(number, protoName, member, declared, shape, optional, value, keyValue);
    }

    /// <summary>The message that a type is, or <see langword="null"/> for any other type.</summary>
    public ValueModel? ParseMessage(ITypeSymbol type, FieldSite site)
        => type is INamedTypeSymbol named && (MessageParser.IsMessage(named) || TupleParser.IsOne(named)) ? ParseValue(type, 0, site) : null;

    private ValueModel? ParseElement(ITypeSymbol type, int dataFormat, FieldSite site)
    {
        bool nullableStruct = type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T;
        if (nullableStruct || (type.IsReferenceType && type.NullableAnnotation == NullableAnnotation.Annotated))
        {
            Refuse(type, site, "protobuf has no null in a list or map", "remove the '?', or put it into a message that has it as a field");
            return null;
        }

        if (Container(type).Shape == FieldShape.Single)
            return ParseValue(type, dataFormat, site);

        FieldModel? field = ParseField(type, 1, WrapperParser.FieldName(Container(type).Shape), "", dataFormat, site);
        return field is null ? null : _wrappers.Wrap(type, field, site);
    }

    private ValueModel? ParseValue(ITypeSymbol type, int dataFormat, FieldSite site)
    {
        string code = type.NonNullCode();
        ValueModel? scalar = Scalar(type, code);
        if (scalar is not null)
        {
            ValueModel? formatted = DataFormats.Apply(scalar, dataFormat);
            if (formatted is null)
                Refuse(type, site, "its DataFormat does not go with its type", "remove the DataFormat, or use the integer type that it is for");
            return formatted is null || !formatted.Kind.IsCalendar() || IsThere(formatted, type, site) ? formatted : null;
        }

        if (type.TypeKind == TypeKind.Enum)
            return _enums.Parse((INamedTypeSymbol)type, site);

        if (type is INamedTypeSymbol named && MessageParser.IsMessage(named))
            return _messages.Parse(named, site);

        if (type is INamedTypeSymbol tuple && TupleParser.IsOne(tuple))
            return _tuples.Parse(tuple, site);

        (string reason, string remedy) = Refusals.Of(type);
        Refuse(type, site, reason, remedy);
        return null;
    }

    /// <summary>DateOnly and TimeOnly are not there for .NET Standard, and a type of the same name is none of theirs.</summary>
    private bool IsThere(ValueModel value, ITypeSymbol type, FieldSite site)
    {
        if (_context.Compilation.GetTypeByMetadataName("Ipc.Rpc.ProtoWriter") is { } writer && writer.GetMembers("Write" + value.Kind).IsEmpty)
        {
            Refuse(type, site, "the Ipc.Rpc of .NET Standard and .NET Framework cannot write it", "use a DateTime or a TimeSpan, or compile the contract for .NET 8 or later");
            return false;
        }

        return _context.TakeName(value.ProtoType, "System." + value.ProtoType, site.Location);
    }

    private static bool HasOrder(ITypeSymbol type) => type.AllInterfaces.Any(static i => i.FullName() is "System.IComparable" or "System.IComparable`1");

    private void Refuse(ITypeSymbol type, FieldSite site, string reason, string remedy)
        => _context.Report(Diagnostics.UnsupportedType, site.Location, type.Readable(), site.Path, reason, remedy);

    private static ValueModel? Scalar(ITypeSymbol type, string code)
    {
        if (type is IArrayTypeSymbol { Rank: 1, ElementType.SpecialType: SpecialType.System_Byte })
            return new ValueModel(ProtoKind.Bytes, "bytes", code, "Bytes", IsReference: true);

        ValueModel Number(ProtoKind kind, string reader) => new(kind, kind.ToString().ToLowerInvariant(), code, reader, IsReference: false);
        ValueModel Other(ProtoKind kind, string proto, bool isReference = false) => new(kind, proto, code, kind.ToString(), isReference);
        switch (type.SpecialType)
        {
            case SpecialType.System_Boolean: return Number(ProtoKind.Bool, "Bool");
            case SpecialType.System_SByte: return Number(ProtoKind.Int32, "SByte");
            case SpecialType.System_Int16: return Number(ProtoKind.Int32, "Int16");
            case SpecialType.System_Int32: return Number(ProtoKind.Int32, "Int32");
            case SpecialType.System_Int64: return Number(ProtoKind.Int64, "Int64");
            case SpecialType.System_Byte: return Number(ProtoKind.UInt32, "Byte");
            case SpecialType.System_UInt16: return Number(ProtoKind.UInt32, "UInt16");
            case SpecialType.System_UInt32: return Number(ProtoKind.UInt32, "UInt32");
            case SpecialType.System_UInt64: return Number(ProtoKind.UInt64, "UInt64");
            case SpecialType.System_Single: return Number(ProtoKind.Float, "Float");
            case SpecialType.System_Double: return Number(ProtoKind.Double, "Double");
            case SpecialType.System_String: return Other(ProtoKind.String, "string", isReference: true);
            case SpecialType.System_DateTime: return Other(ProtoKind.Timestamp, "google.protobuf.Timestamp");
            case SpecialType.System_Decimal: return Other(ProtoKind.Decimal, "string");
        }

        switch (type.FullName())
        {
            case "System.TimeSpan":
                return Other(ProtoKind.Duration, "google.protobuf.Duration");
            case "System.DateTimeOffset":
                return Other(ProtoKind.DateTimeOffset, "DateTimeOffset");
            case "System.DateOnly":
                return Other(ProtoKind.DateOnly, "DateOnly");
            case "System.TimeOnly":
                return Other(ProtoKind.TimeOnly, "TimeOnly");
            case "System.Uri":
                return Other(ProtoKind.Uri, "string", isReference: true);
            case "System.Guid":
                return Other(ProtoKind.Guid, "string");
            case "System.ReadOnlyMemory`1" when ((INamedTypeSymbol)type).TypeArguments[0].SpecialType == SpecialType.System_Byte:
                return new ValueModel(ProtoKind.Bytes, "bytes", code, "Bytes", IsReference: false, IsMemory: true);
            case "Ipc.Rpc.PooledBytes":
                return new ValueModel(ProtoKind.Bytes, "bytes", code, "PooledBytes", IsReference: false, IsMemory: true);
            default:
                return null;
        }
    }

    private static (FieldShape Shape, ITypeSymbol? Element, ITypeSymbol? Key) Container(ITypeSymbol type)
    {
        if (type is IArrayTypeSymbol array)
            return array.Rank == 1 && array.ElementType.SpecialType != SpecialType.System_Byte ? (FieldShape.Array, array.ElementType, null) : default;

        if (type is not INamedTypeSymbol { IsGenericType: true } named)
            return default;

        FieldShape shape = FieldShapes.Of(named.FullName());
        if (shape == FieldShape.Single)
            return default;
        return shape.IsMap() ? (shape, named.TypeArguments[1], named.TypeArguments[0]) : (shape, named.TypeArguments[0], null);
    }
}
