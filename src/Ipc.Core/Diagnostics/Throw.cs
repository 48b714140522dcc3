using System;
using System.Diagnostics.CodeAnalysis;

namespace Ipc;

/// <summary>Throws, out of line: a hot path that can throw stays small enough to be inlined.</summary>
internal static class Throw
{
    [DoesNotReturn]
    public static void Status(IpcStatus status, string message, int systemErrorCode = 0) =>
        throw new IpcException(status, message, systemErrorCode);

    [DoesNotReturn]
    public static void Corrupt(string message) => throw new CorruptRegionException(message);

    [DoesNotReturn]
    public static void TooLarge(int length, int maximum) => throw new IpcException(IpcStatus.TooLarge,
        $"A payload of {length} bytes was asked for; this ring takes at most {maximum} (half its capacity less 8, or its loan budget). Nothing was sent: " +
        "send less at once, or create the ring with a larger capacity or loan budget.");

    [DoesNotReturn]
    public static void NegativeLength(int length) => throw new ArgumentOutOfRangeException(nameof(length), length, "A length cannot be negative.");

    [DoesNotReturn]
    public static void CommitExceedsClaim(int length, int claimed) => throw new ArgumentOutOfRangeException(nameof(length), length,
        $"{length} bytes were to be committed, {claimed} are claimed.");

    [DoesNotReturn]
    public static void NoClaim() => throw new InvalidOperationException("There is no open claim: call TryClaim or Claim first.");

    [DoesNotReturn]
    public static void Disposed(object instance) => throw new ObjectDisposedException(instance.GetType().FullName);

    public static void IfNull([NotNull] object? value, string name)
    {
        if (value is null)
            Null(name);
    }

    [DoesNotReturn]
    private static void Null(string name) => throw new ArgumentNullException(name);
}
