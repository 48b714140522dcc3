namespace Ipc.Rpc.Generator;

/// <summary>A message: its fields by number, and how its C# value is made of them.</summary>
/// <param name="Name">Its name in the .proto; its codec is called after it.</param>
/// <param name="Type">Its C# type, fully qualified.</param>
/// <param name="Form">What that type is.</param>
/// <param name="IsReference">Whether the type is a class.</param>
/// <param name="IsMutableStruct">Whether reading a property of an <c>in</c> parameter would copy the struct.</param>
/// <param name="Fields">By ascending number.</param>
/// <param name="ConstructorFields">Numbers of the fields that the constructor takes, in its order.</param>
/// <param name="FilledFields">Numbers of the fields without a setter whose collection is filled in place.</param>
internal sealed record MessageModel(
    string Name,
    string Type,
    MessageForm Form,
    bool IsReference,
    bool IsMutableStruct,
    EquatableArray<FieldModel> Fields,
    EquatableArray<int> ConstructorFields,
    EquatableArray<int> FilledFields)
{
    public string Codec => Name + "Codec";
}
