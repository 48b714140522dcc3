using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>From parameters to a request message, from a result to a response message.</summary>
/// <remarks>
/// One message, not nullable, is the payload itself. Nothing is google.protobuf.Empty. All else is wrapped in a message named
/// after the method: fields 1 to n in the order of the parameters, or one field <c>result</c>, in a stream <c>item</c>, of
/// progress <c>progress</c>.
/// </remarks>
internal sealed class PayloadParser
{
    private static readonly HashSet<string> _structNames = new() { "Equals", "ReferenceEquals", "GetHashCode", "GetType", "ToString", "MemberwiseClone", "Finalize" };

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
            string member = Member(parameter.Name, signature);
            FieldSite site = Site(signature, parameter);
            if (!ProtoNames.IsIdentifier(protoName) || !names.Add(ProtoNames.JsonKey(protoName)))
            {
                _context.Report(Diagnostics.NameClash, site.Location, protoName, site.Path, "it is not an identifier of letters, digits and '_', or not unique", "rename the parameter");
                return null;
            }

            FieldModel? field = _types.Parse(parameter.Type, fields.Count + 1, protoName, member, 0, site);
            if (field is null)
                return null;
            fields.Add(field);
            _context.Site(signature.WireName + "Request", field.Number, site.Location, parameter);
        }

        string name = signature.WireName + "Request";
        return Wrapped(name, bare ? fields[0].Type : _className + "." + name, bare ? MessageForm.Bare : MessageForm.Arguments, fields, signature);
    }

    /// <summary>Messages that only errors carry, as their details: they need a codec, too.</summary>
    public void Faults(ISymbol declaring)
    {
        foreach (AttributeData attribute in declaring.GetAttributes().Where(static a => a.AttributeClass?.FullName() is TypeNames.FaultAttribute or TypeNames.FaultContract))
        {
            if (attribute.First() is not ITypeSymbol type)
                continue;

            var site = new FieldSite("a fault of " + declaring.Name, declaring.Locations[0]);
            int problems = _context.Problems.Count;
            if (_types.ParseMessage(type, site) is null && _context.Problems.Count == problems)
                _context.Report(Diagnostics.UnsupportedType, site.Location, type.Readable(), site.Path, "details of an error are messages", "use a class or struct with [DataContract]");
        }
    }

    /// <summary>One item of the caller's stream; <see langword="null"/> when it has none.</summary>
    public PayloadModel? Input(Signature signature) => Element(signature, ParameterRole.Stream, "Input", "item");

    /// <summary>One report of progress; <see langword="null"/> when there are none.</summary>
    public PayloadModel? Progress(Signature signature) => Element(signature, ParameterRole.Progress, "Progress", "progress");

    public PayloadModel? Response(Signature signature)
    {
        if (signature.Result is null)
            return PayloadModel.Empty;

        bool isStream = signature.Member.Style == ResultStyle.Stream;
        return One(signature, signature.Result, isStream ? "Item" : "Response", isStream ? "item" : "result", new FieldSite(signature.Shown + "()", signature.Location));
    }

    private PayloadModel? Element(Signature signature, ParameterRole role, string suffix, string fieldName)
        => signature.Having(role) is { } parameter
            ? One(signature, ((INamedTypeSymbol)parameter.Type).TypeArguments[0], suffix, fieldName, Site(signature, parameter))
            : null;

    /// <summary>The message itself, or one that is called after the method and has the value as its only field.</summary>
    private PayloadModel? One(Signature signature, ITypeSymbol type, string suffix, string fieldName, FieldSite site)
    {
        if (!IsNullable(type))
        {
            int problems = _context.Problems.Count;
            ValueModel? message = _types.ParseMessage(type, site);
            if (message is not null)
                return Direct(message);
            if (_context.Problems.Count != problems)
                return null;
        }

        FieldModel? field = _types.Parse(type, 1, fieldName, fieldName, 0, site);
        return field is null ? null : Wrapped(signature.WireName + suffix, field.Type, MessageForm.Bare, new List<FieldModel> { field }, signature);
    }

    private static PayloadModel Direct(ValueModel message) => new(message.Reader, message.ProtoType, message.Type, MessageForm.Declared, default);

    private PayloadModel? Wrapped(string name, string type, MessageForm form, List<FieldModel> fields, Signature signature)
    {
        if (!_context.TakeName(name, "a message of " + signature.Shown, signature.Location))
            return null;

        _context.Site(name, signature.Location);
        _context.Messages.Add(new MessageModel(
            name,
            type,
            form,
            IsReference: false, // a bare null is an absent field, not a missing message
            IsMutableStruct: false,
            new EquatableArray<FieldModel>(fields),
            default,
            default));
        return new PayloadModel(name, name, type, form, new EquatableArray<string>(fields.Select(static f => f.Member)));
    }

    private static bool IsNullable(ITypeSymbol type)
        => type.NullableAnnotation == NullableAnnotation.Annotated || type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T;

    /// <summary>The field of the struct of arguments. What every struct has, and the struct's own name, it cannot have.</summary>
    private static string Member(string parameter, Signature signature)
    {
        string member = ProtoNames.Pascal(parameter);
        string bare = member.TrimEnd('_');
        return _structNames.Contains(bare) || bare == signature.WireName + "Request" ? member + "_" : member;
    }

    private static FieldSite Site(Signature signature, IParameterSymbol parameter)
        => new(signature.Shown + "(" + parameter.Name + ")", parameter.Locations[0]);
}
