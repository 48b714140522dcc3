using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>ValueTuples: a message whose fields are the elements, numbered from 1.</summary>
/// <remarks>
/// Names of elements are no part of the C# type, but they are what the numbers mean. So they name the fields and the message: elements that change places
/// make another message, which the comparison with the checked-in .proto notices.
/// </remarks>
internal sealed class TupleParser
{
    private readonly ParseContext _context;
    private readonly FieldTypeParser _types;
    private readonly Dictionary<string, ValueModel?> _seen = new();

    public TupleParser(ParseContext context, FieldTypeParser types)
    {
        _context = context;
        _types = types;
    }

    public static bool IsOne(INamedTypeSymbol type) => type is { IsTupleType: true, TupleElements.Length: > 1 };

    public ValueModel? Parse(INamedTypeSymbol type, FieldSite site)
    {
        string code = type.NonNullCode();
        if (!_seen.TryGetValue(code, out ValueModel? value))
            _seen.Add(code, value = ParseNew(type, code, site));
        return value;
    }

    private ValueModel? ParseNew(INamedTypeSymbol type, string code, FieldSite site)
    {
        var fields = new List<FieldModel>();
        var names = new HashSet<string>();
        foreach (IFieldSymbol element in type.TupleElements)
        {
            int number = fields.Count + 1;
            string item = "Item" + number.ToString(System.Globalization.CultureInfo.InvariantCulture);
            string protoName = ProtoNames.Snake(element.Name);
            FieldSite part = site.Part("." + element.Name);
            if (!ProtoNames.IsIdentifier(protoName) || !names.Add(ProtoNames.JsonKey(protoName)))
            {
                _context.Report(Diagnostics.NameClash, part.Location, protoName, part.Path, "it is not an identifier of letters, digits and '_', or not unique", "give the element another name");
                return null;
            }

            FieldModel? field = _types.Parse(element.Type, number, protoName, item, 0, part);
            if (field is null)
                return null;
            fields.Add(field);
        }

        string name = "TupleOf" + string.Join("And", type.TupleElements.Select((element, i) => element.IsExplicitlyNamedTupleElement ? ProtoNames.Pascal(element.Name) : WrapperParser.NameOf(fields[i])));
        if (!_context.TakeName(name, "the tuple " + type.Readable(), site.Location))
            return null;

        foreach (FieldModel field in fields)
            _context.Sites[name + "." + field.Number.ToString(System.Globalization.CultureInfo.InvariantCulture)] = site.Location;
        _context.Site(name, site.Location);
        _context.Messages.Add(new MessageModel(name, code, MessageForm.Tuple, IsReference: false, IsMutableStruct: false, new EquatableArray<FieldModel>(fields), default, default));
        return new ValueModel(ProtoKind.Message, name, code, name, IsReference: false, HasEmpty: true);
    }
}
