namespace Ipc.Native;

/// <summary>How the other side has ended a session: <c>ipc_named_end</c>.</summary>
public sealed class NativeNamedEnd
{
    internal unsafe NativeNamedEnd(NamedEndData* data)
    {
        Code = data->Code;
        Died = data->Died != 0;
        Text = Utf8.From(data->Text);
    }

    /// <summary>The code with which it closed; 0 if it did not.</summary>
    public long Code { get; }

    /// <summary>Its process has ended without a word.</summary>
    public bool Died { get; }

    /// <summary>A server's words; empty if there are none.</summary>
    public string Text { get; }
}
