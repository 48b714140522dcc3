using System.Collections.Generic;
using System.Globalization;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>Lists and maps within others, of which protobuf has none: each becomes a message with the inner one as its only field.</summary>
/// <remarks>The message is named after what it holds (ListOfInt32, MapOfStringToItem), so that all containers of the same elements are one message in the
/// .proto; each C# container has a codec of its own.</remarks>
internal sealed class WrapperParser
{
    private readonly ParseContext _context;
    private readonly Dictionary<string, ValueModel?> _seen = new();
    private readonly Dictionary<string, int> _codecs = new();

    public WrapperParser(ParseContext context) => _context = context;

    /// <summary>What the only field is called.</summary>
    public static string FieldName(FieldShape shape) => shape.IsMap() ? "entries" : "items";

    /// <summary>What a field is called within the name of the message that is made for it.</summary>
    public static string NameOf(FieldModel field)
        => field.IsMap ? "MapOf" + NameOf(field.Key!) + "To" + NameOf(field.Value)
            : (field.IsRepeated ? "ListOf" : "") + NameOf(field.Value);

    public ValueModel? Wrap(ITypeSymbol type, FieldModel field, FieldSite site)
    {
        string code = type.NonNullCode();
        if (!_seen.TryGetValue(code, out ValueModel? value))
            _seen.Add(code, value = WrapNew(type, code, field, site));
        return value;
    }

    private ValueModel? WrapNew(ITypeSymbol type, string code, FieldModel field, FieldSite site)
    {
        string name = NameOf(field);
        string owner = field.IsMap ? "the maps from " + field.Key!.ProtoType + " to " + field.Value.ProtoType : "the lists of " + field.Value.ProtoType;
        if (!_context.TakeName(name, owner, site.Location))
            return null;

        _codecs.TryGetValue(name, out int before);
        _codecs[name] = before + 1;
        string codec = before == 0 ? name : name + "As" + (before + 1).ToString(CultureInfo.InvariantCulture);
        if (before > 0 && !_context.TakeName(codec, "the codec of " + type.Readable(), site.Location))
            return null;

        _context.Site(name, site.Location);
        _context.Sites[name + ".1"] = site.Location;
        _context.Messages.Add(new MessageModel(codec, code, MessageForm.Wrapper, type.IsReferenceType, IsMutableStruct: false, new EquatableArray<FieldModel>(new[] { field }), default, default, ForeignName: name));
        return new ValueModel(ProtoKind.Message, name, code, codec, type.IsReferenceType, HasEmpty: !type.IsReferenceType);
    }

    private static string NameOf(ValueModel value) => ProtoNames.Pascal(value.ProtoType.Substring(value.ProtoType.LastIndexOf('.') + 1));
}
