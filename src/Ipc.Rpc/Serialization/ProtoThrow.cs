#if NET
using System.Diagnostics.CodeAnalysis;
#endif
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>The throws of reader and writer, out of line so that what calls them stays small.</summary>
internal static class ProtoThrow
{
#if NET
    [DoesNotReturn]
#endif
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Error(ProtoError error, int offset, string message) =>
        throw new ProtoException(error, offset, message);

#if NET
    [DoesNotReturn]
#endif
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static T Error<T>(ProtoError error, int offset, string message) =>
        throw new ProtoException(error, offset, message);
}
