using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

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
    public static void SizeChanged(long found, long expected) => Corrupt(
        $"The region's file has {found} bytes, {expected} when it was opened: somebody has changed its size. End " +
        "that process, and remove the file.");

    [DoesNotReturn]
    public static void NotMapped(long size, string why, int systemErrorCode) => Status(
        IpcStatus.SystemError, $"The region of {size} bytes could not be mapped: {why}", systemErrorCode);

    [DoesNotReturn]
    public static void TooLarge(int length, int maximum) => throw new IpcException(IpcStatus.TooLarge,
        $"A message of {length} bytes does not fit: this ring takes at most {maximum}; nothing was sent: " +
        "send less at a time, or create the ring with a larger capacity or a larger loan budget.");

    [DoesNotReturn]
    public static void NegativeLength(int length) =>
        throw new ArgumentOutOfRangeException(nameof(length), length, "A length cannot be negative.");

    [DoesNotReturn]
    public static void CommitExceedsClaim(int length, int claimed) =>
        throw new ArgumentOutOfRangeException(nameof(length), length,
        $"Commit of {length} bytes, {claimed} were claimed.");

    [DoesNotReturn]
    public static void NoClaim() =>
        throw new InvalidOperationException("There is no open claim: claim first.");

    [DoesNotReturn]
    public static void Disposed(object instance) => throw new ObjectDisposedException(instance.GetType().FullName);

    /// <summary>For calls that return what they waited for: any other end of the wait is an exception, the framework's
    /// own where it has one.</summary>
    [DoesNotReturn]
    public static void Ended(IpcStatus status, object instance, string call, CancellationToken cancellationToken)
    {
        string what = instance.GetType().Name + "." + call;
        throw status switch
        {
            IpcStatus.Timeout => new TimeoutException(
                $"{what} did not succeed within its timeout: nothing came, or there was no room, or somebody else " +
                "has it."),
            IpcStatus.Cancelled => new OperationCanceledException($"{what} was cancelled.", cancellationToken),
            IpcStatus.Closed => new ObjectDisposedException(instance.GetType().FullName),
            IpcStatus.Stopped => new IpcException(status, $"{what} was ended by Stop: waits work again after Resume."),
            IpcStatus.PeerClosed => new IpcException(
                status, $"{what}: the other side has left, and everything that it published has been read."),
            IpcStatus.PeerDied => new IpcException(
                status, $"{what}: the other side's process has died, and everything that it published has been read."),
            _ => new IpcException(status, $"{what} ended with {status}."),
        };
    }

    public static void IfNull([NotNull] object? value, string name)
    {
        if (value is null)
            Null(name);
    }

    [DoesNotReturn]
    private static void Null(string name) => throw new ArgumentNullException(name);
}
