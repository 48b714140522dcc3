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

    /// <summary>A class that protoc wrote: it reads and writes itself, and another .proto has it.</summary>
    Google,
}
