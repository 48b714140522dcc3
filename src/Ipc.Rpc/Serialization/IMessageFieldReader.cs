namespace Ipc.Rpc;

/// <summary>Gives the fields of a message one by one, by ascending number.</summary>
public interface IMessageFieldReader
{
    /// <summary>The field's value; <see langword="default"/> when the message has no such field.</summary>
    TField? Read<TField>(int number);
}
