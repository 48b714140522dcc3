using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>From parameters to a request message, from a result to a response message.</summary>
/// <remarks>
/// One message, not nullable, is the payload itself. Nothing is google.protobuf.Empty. All else is wrapped in a message named
/// after the method: fields 1 to n in the order of the parameters, or one field <c>result</c>, in a stream <c>item</c>.
/// </remarks>
internal sealed class PayloadParser
{
    private readonly ParseContext _context;
    private readonly FieldTypeParser _types;
    private readonly string _className;

    public PayloadParser(ParseContext context, string className)
    {
        _context = context;
        _types = new FieldTypeParser(context);
        _className = className;
    }

    public PayloadModel? Request(Signature signature)
    {
        if (signature.Parameters.Count == 0)
            return PayloadModel.Empty;

        if (signature.Parameters.Count == 1 && !IsNullable(signature.Parameters[0].Type))
        {
            IParameterSymbol only = signature.Parameters[0];
            FieldSite site = Site(signature, only);
            int problems = _context.Problems.Count;
            ValueModel? message = _types.ParseMessage(only.Type, site);
            if (message is not null)
                return Direct(message);
            if (_context.Problems.Count != problems)
                return null;
        }

        var fields = new List<FieldModel>();
        var names = new HashSet<string>();
        bool bare = signature.Parameters.Count == 1;
        foreach (IParameterSymbol parameter in signature.Parameters)
        {
            string protoName = ProtoNames.Snake(parameter.Name);
            string member = ProtoNames.Pascal(parameter.Name);
            FieldSite site = Site(signature, parameter);
            if (!ProtoNames.IsIdentifier(protoName) || !names.Add(ProtoNames.JsonKey(protoName)) || member == signature.WireName + "Request")
            {
                _context.Report(Diagnostics.NameClash, site.Location, protoName, site.Path, "it is not an identifier of letters, digits and '_', or not unique");
                return null;
            }

            FieldModel? field = _types.Parse(parameter.Type, fields.Count + 1, protoName, member, 0, site);
            if (field is null)
                return null;
            fields.Add(field);
        }

        string name = signature.WireName + "Request";
        return Wrapped(name, bare ? fields[0].Type : _className + "." + name, bare ? MessageForm.Bare : MessageForm.Arguments, fields, signature);
    }

    public PayloadModel? Response(Signature signature)
    {
        if (signature.Result is null)
            return PayloadModel.Empty;

        FieldSite site = new(signature.Shown + "()", signature.Location);
        if (!IsNullable(signature.Result))
        {
            int problems = _context.Problems.Count;
            ValueModel? message = _types.ParseMessage(signature.Result, site);
            if (message is not null)
                return Direct(message);
            if (_context.Problems.Count != problems)
                return null;
        }

        bool isStream = signature.Member.Style == ResultStyle.Stream;
        string fieldName = isStream ? "item" : "result";
        FieldModel? field = _types.Parse(signature.Result, 1, fieldName, fieldName, 0, site);
        if (field is null)
            return null;
        string name = signature.WireName + (isStream ? "Item" : "Response");
        return Wrapped(name, field.Type, MessageForm.Bare, new List<FieldModel> { field }, signature);
    }

    private static PayloadModel Direct(ValueModel message) => new(message.ProtoType, message.Type, MessageForm.Declared, default);

    private PayloadModel? Wrapped(string name, string type, MessageForm form, List<FieldModel> fields, Signature signature)
    {
        if (!_context.TakeName(name, "a message of " + signature.Shown, signature.Location))
            return null;

        _context.Messages.Add(new MessageModel(
            name,
            type,
            form,
            IsReference: false, // a bare null is an absent field, not a missing message
            IsMutableStruct: false,
            new EquatableArray<FieldModel>(fields),
            default,
            default));
        return new PayloadModel(name, type, form, new EquatableArray<string>(fields.Select(static f => f.Member)));
    }

    private static bool IsNullable(ITypeSymbol type)
        => type.NullableAnnotation == NullableAnnotation.Annotated || type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T;

    private static FieldSite Site(Signature signature, IParameterSymbol parameter)
        => new(signature.Shown + "(" + parameter.Name + ")", parameter.Locations[0]);
}
