using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>The formats that a callee has: its serializers, and protobuf by the generated codecs unless one of them
/// takes its place.</summary>
internal sealed class FormatTable
{
    private readonly CallFormat?[] _numbered = new CallFormat?[IpcSerializer.NamedFormat];
    private readonly Dictionary<string, CallFormat> _named = new(StringComparer.Ordinal);

    /// <exception cref="ArgumentException">Two of them have the same format.</exception>
    public FormatTable(IEnumerable<IpcSerializer> serializers)
    {
        foreach (IpcSerializer serializer in serializers)
        {
            if (serializer is null)
                throw new ArgumentException("A serializer is null.", nameof(serializers));

            var format = CallFormat.Of(serializer);
            bool taken = serializer.Format == IpcSerializer.NamedFormat
                ? _named.ContainsKey(serializer.Name)
                : _numbered[serializer.Format] is not null;
            if (taken)
                throw new ArgumentException(
                    "Two serializers have the format of " + serializer.Name + ".", nameof(serializers));

            if (serializer.Format == IpcSerializer.NamedFormat)
                _named.Add(serializer.Name, format);
            else
                _numbered[serializer.Format] = format;
        }

        _numbered[IpcSerializer.ProtobufFormat] ??= CallFormat.Generated;
    }

    /// <summary>The format of a request; <see langword="null"/> when there is none such.</summary>
    /// <param name="flags">The request's.</param>
    /// <param name="name">What its head calls the format, if there is a head and it does.</param>
    [MethodImpl(Tiering.Optimized)]
    public CallFormat? Find(byte flags, string? name)
    {
        int number = CallFormat.Number(flags);
        if (number < _numbered.Length)
            return _numbered[number];
        return number == IpcSerializer.NamedFormat && name is not null &&
            _named.TryGetValue(name, out CallFormat? format)
            ? format
            : null;
    }

    /// <summary>The text of the error that answers a request of a format that <see cref="Find"/> does not
    /// find.</summary>
    public string Refusal(RpcMethod method, byte flags, string? name)
    {
        int number = CallFormat.Number(flags);
        string asked = number == IpcSerializer.NamedFormat ? "format '" + (name ?? "") + "'" : "format " + number;
        IEnumerable<string> has = _numbered.Where(static f => f is not null).Select(
            static f =>
                f!.Name + " (" + CallFormat.Number(f.Flags) +
                ")").Concat(_named.Keys.OrderBy(static n => n, StringComparer.Ordinal));
        return "A call to " + method.FullName + " is written in " + asked + "; the peer has " + string.Join(", ", has) +
            ". Add the serializer to RpcServerOptions.Serializers.";
    }
}
