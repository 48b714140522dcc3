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
/// <param name="Reserved">Numbers that no field may have again, ascending.</param>
/// <param name="Import">The .proto that has a <see cref="MessageForm.Google"/> message; empty when that is not known.</param>
/// <param name="ForeignName">Its name there, with a dot before its package.</param>
/// <param name="IsPublic">Whether everybody can name its type.</param>
internal sealed record MessageModel(
    string Name,
    string Type,
    MessageForm Form,
    bool IsReference,
    bool IsMutableStruct,
    EquatableArray<FieldModel> Fields,
    EquatableArray<int> ConstructorFields,
    EquatableArray<int> FilledFields,
    EquatableArray<int> Reserved = default,
    string Import = "",
    string? ForeignName = null,
    bool IsPublic = true)
{
    /// <summary>What the .proto calls it.</summary>
    public string ProtoType => ForeignName ?? Name;

    public string Codec => Name + "Codec";
}
