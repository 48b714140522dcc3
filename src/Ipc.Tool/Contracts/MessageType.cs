using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>A message of a contract. Its fields are filled in once all types are known: messages may hold each other.</summary>
internal sealed class MessageType(string fullName)
{
    /// <summary>With its package.</summary>
    public string FullName { get; } = fullName;

    public List<MessageField> Fields { get; } = [];

    public MessageField? Numbered(int number) => Fields.Find(field => field.Number == number);

    /// <summary>By the name in the .proto or the one that JSON has.</summary>
    public MessageField? Named(string name) => Fields.Find(field => field.Name == name || field.JsonName == name);
}
