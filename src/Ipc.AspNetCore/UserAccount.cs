using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Security.Claims;

namespace Ipc.AspNetCore;

/// <summary>A user of Linux, as .NET has users.</summary>
internal static unsafe partial class UserAccount
{
    private const int NotEnoughRoom = 34; // ERANGE

    /// <summary>Authenticated, with the id and, if it has an account, the name.</summary>
    public static ClaimsPrincipal Of(uint id)
    {
        string text = id.ToString(CultureInfo.InvariantCulture);
        List<Claim> claims = [new Claim(ClaimTypes.NameIdentifier, text, ClaimValueTypes.UInteger32)];
        if (NameOf(id) is { } name)
            claims.Add(new Claim(ClaimTypes.Name, name));
        return new ClaimsPrincipal(new ClaimsIdentity(claims, "ipc"));
    }

    /// <summary>Asks the system, which may ask a directory service. <see langword="null"/>: nobody has that id, or
    /// there is no answer.</summary>
    private static string? NameOf(uint id)
    {
        for (int length = 1024; length <= 1 << 20; length *= 4)
        {
            byte[] texts = new byte[length];
            Entry entry;
            Entry* found;
            fixed (byte* room = texts)
            {
                int error = getpwuid_r(id, &entry, room, (nuint)length, &found);
                if (error != NotEnoughRoom)
                    return error == 0 && found is not null ? Marshal.PtrToStringUTF8(found->Name) : null;
            }
        }

        return null;
    }

    [LibraryImport("libc")]
    private static partial int getpwuid_r(uint id, Entry* entry, byte* texts, nuint length, Entry** found);

    /// <summary>A <c>struct passwd</c>: its name comes first in glibc and in musl, and nothing else is read. There is
    /// more room than it takes in either.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct Entry
    {
        public nint Name;
    }
}
