namespace Ipc.Rpc;

/// <summary>How errors name the other side of a connection.</summary>
internal static class PeerName
{
    /// <summary>A server, of which there may be no process.</summary>
    public static string OfServer(string name, int processId = 0)
        => "the server \"" + name + "\"" + (processId == 0 ? string.Empty : " (process " + processId + ")");

    /// <summary>A server's client.</summary>
    public static string OfClient(int processId) => "the client (process " + processId + ")";

    /// <summary>As the first word of a sentence.</summary>
    public static string First(string words) => char.ToUpperInvariant(words[0]) + words.Substring(1);
}
