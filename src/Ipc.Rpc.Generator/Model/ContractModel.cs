namespace Ipc.Rpc.Generator;

/// <summary>All that the generator knows of a contract. Made of strings and numbers only: comparable, and free of Roslyn.</summary>
/// <param name="Namespace">Where the generated class goes; empty for the global namespace.</param>
/// <param name="Accessibility">Of the interface, and so of the generated class.</param>
/// <param name="Interface">The interface, fully qualified.</param>
/// <param name="ClassName">The generated class.</param>
/// <param name="ServiceName">The service on the wire and the package of the .proto.</param>
/// <param name="ProtoService">The service's name in the .proto.</param>
/// <param name="Callback">The contract that the client offers in turn, if there is one.</param>
/// <param name="RegistersItself">Whether the language and the framework have module initializers.</param>
/// <param name="Methods">In the order of declaration.</param>
/// <param name="Messages">In the order in which they are first used.</param>
/// <param name="Enums">In the order in which they are first used.</param>
internal sealed record ContractModel(
    string Namespace,
    string Accessibility,
    string Interface,
    string ClassName,
    string ServiceName,
    string ProtoService,
    CallbackModel? Callback,
    bool RegistersItself,
    EquatableArray<MethodModel> Methods,
    EquatableArray<MessageModel> Messages,
    EquatableArray<EnumModel> Enums)
{
    /// <summary>After the interface, not the class: <c>IFoo</c> and <c>Foo</c> give two files, and the compiler says what clashes.</summary>
    public string HintName => Interface.Replace("global::", "").Replace("@", "") + ".g.cs";
}
