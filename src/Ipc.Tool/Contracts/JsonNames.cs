using System.Text;

namespace Ipc.Tool;

/// <summary>What JSON calls a field: <c>to_server</c> is <c>toServer</c>.</summary>
internal static class JsonNames
{
    public static string Of(string protoName)
    {
        var name = new StringBuilder(protoName.Length);
        bool isNext = false;
        foreach (char character in protoName)
        {
            if (character != '_')
                name.Append(isNext ? char.ToUpperInvariant(character) : character);
            isNext = character == '_';
        }

        return name.ToString();
    }
}
