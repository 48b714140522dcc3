using System;

namespace Ipc.Rpc;

/// <summary>The words of an exception that somebody else's code threw. Its <see cref="Exception.Message"/> is code of
/// theirs, too, and may throw.</summary>
internal static class ErrorText
{
    private const int Longest = 16_000; // characters: an event carries 64 KB

    public static string Of(Exception e)
    {
        try
        {
            return e.Message ?? string.Empty;
        }
#pragma warning disable CA1031 // whatever it throws: there is no text then
        catch (Exception)
#pragma warning restore CA1031
        {
            return "(The message of " + e.GetType().FullName + " cannot be read: it throws.)";
        }
    }

    /// <summary>All that there is to say, for a trace.</summary>
    public static string Whole(Exception e)
    {
        try
        {
            string text = e.ToString() ?? string.Empty;
            return text.Length <= Longest ? text : text.Substring(0, Longest);
        }
#pragma warning disable CA1031 // as above
        catch (Exception)
#pragma warning restore CA1031
        {
            return e.GetType().FullName + ": " + Of(e);
        }
    }
}
