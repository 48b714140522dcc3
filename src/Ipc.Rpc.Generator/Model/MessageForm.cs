namespace Ipc.Rpc.Generator;

/// <summary>What a message is in C#.</summary>
internal enum MessageForm
{
    /// <summary>A type of the user's.</summary>
    Declared,

    /// <summary>The one parameter, or the result, of a method, bare: the message exists on the wire only.</summary>
    Bare,

    /// <summary>The parameters of a method, in a generated struct.</summary>
    Arguments,

    /// <summary>A ValueTuple: its elements are the fields.</summary>
    Tuple,

    /// <summary>A list or map within another one, which protobuf does not have: a message whose only field it is.</summary>
    Wrapper,

    /// <summary>A class that protoc wrote: it reads and writes itself, and another .proto has it.</summary>
    Google,
}
