using System;
using System.Text;

namespace Ipc.Native;

/// <summary>Text on its way to C and back.</summary>
internal static unsafe class Utf8
{
    /// <summary>With a zero behind it.</summary>
    public static byte[] Terminated(string text)
    {
        if (text is null)
            throw new ArgumentNullException(nameof(text));
        byte[] bytes = new byte[Encoding.UTF8.GetByteCount(text) + 1];
        Encoding.UTF8.GetBytes(text, 0, text.Length, bytes, 0);
        if (Array.IndexOf(bytes, (byte)0) != bytes.Length - 1)
            throw new ArgumentException("The text has a zero in it, which is where C believes it ends.", nameof(text));
        return bytes;
    }

    /// <summary>Up to the zero.</summary>
    public static string From(byte* text)
    {
        if (text == null)
            return "";
        int length = 0;
        while (text[length] != 0)
            length++;
        return Encoding.UTF8.GetString(text, length);
    }
}
