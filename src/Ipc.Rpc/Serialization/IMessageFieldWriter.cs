namespace Ipc.Rpc;

/// <summary>Takes the fields of a message one by one, by ascending number.</summary>
public interface IMessageFieldWriter
{
    /// <summary>Takes a field, whatever its value.</summary>
    void Write<TField>(int number, in TField value);
}
