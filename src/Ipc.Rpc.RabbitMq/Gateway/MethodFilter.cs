using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Which methods may pass a gateway.</summary>
/// <remarks>A method is a number of 32 bits in shared memory, and whoever knows that number finds another name that has
/// it. So only names that were given as they are pass by themselves; of <c>service/*</c> only those that the server
/// says it has.</remarks>
internal sealed class MethodFilter
{
    private readonly string[] _names; // whole ones
    private readonly string[] _services; // with the slash

    /// <param name="allowed"><c>service/method</c>, or <c>service/*</c>; without any, all may pass.</param>
    /// <exception cref="ArgumentException">One is neither.</exception>
    public MethodFilter(IEnumerable<string> allowed)
    {
        string[] all = [.. allowed];
        foreach (string one in all)
        {
            int slash = one?.LastIndexOf('/') ?? -1;
            if (slash <= 0 || slash == one!.Length - 1 || one.AsSpan(0, slash).Contains('*') ||
                (one.Contains('*', StringComparison.Ordinal) && one[(slash + 1)..] != "*"))
                throw new ArgumentException(
                    "\"" + one + "\" is no method: service/method names one, service/* all of a service.",
                    nameof(allowed));
        }

        _services = [.. all.Where(static one => one[^1] == '*').Select(static one => one[..^1])];
        _names = [.. all.Where(static one => one[^1] != '*')];
    }

    /// <summary>Whether all methods may pass.</summary>
    public bool AllowsAll => _names.Length + _services.Length == 0;

    /// <summary>Whether this very name was given, or all may pass.</summary>
    public bool AllowsByName(string method) => AllowsAll || Array.IndexOf(_names, method) >= 0;

    /// <summary>Whether a method that the server has may pass.</summary>
    /// <param name="method"><c>service/method</c>.</param>
    public bool Allows(string method)
    {
        if (AllowsByName(method))
            return true;
        foreach (string service in _services)
        {
            if (method.StartsWith(service, StringComparison.Ordinal) && method.LastIndexOf('/') == service.Length - 1)
                return true;
        }

        return false;
    }

    /// <summary>A list of methods (docs/rpc-protocol.md section 8) without those that may not pass. What else it says
    /// of the others stays as it is.</summary>
    /// <exception cref="ProtoException">It is no such list.</exception>
    public byte[] Filter(byte[] list)
    {
        const uint Entry = (1 << 3) | 2;
        if (AllowsAll)
            return list;
        using MemoryStream kept = new(list.Length);
        ProtoReader reader = new(list);
        int begin = 0;
        while (reader.TryReadTag(out uint tag))
        {
            bool passes = true;
            if (tag == Entry)
                passes = Allows(NameOf(reader.ReadBytesInPlace()));
            else
                reader.SkipField(tag);
            if (passes)
                kept.Write(list, begin, reader.Position - begin);
            begin = reader.Position;
        }

        return kept.ToArray();
    }

    private static string NameOf(ReadOnlySpan<byte> entry)
    {
        const uint Service = (1 << 3) | 2, Name = (2 << 3) | 2;
        string service = string.Empty, name = string.Empty;
        ProtoReader reader = new(entry);
        while (reader.TryReadTag(out uint tag))
        {
            if (tag == Service)
                service = reader.ReadString();
            else if (tag == Name)
                name = reader.ReadString();
            else
                reader.SkipField(tag);
        }

        return service + "/" + name;
    }
}
