using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>How methods are compiled that every message or call passes through.</summary>
internal static class Tiering
{
    /// <summary>Optimized from the start: without it the runtime runs them unoptimized until 100 ms after a burst of
    /// new code, which is the first 20,000 calls of a program (2.9 us instead of 1.6). A number, because .NET Standard
    /// has no name for it; a runtime that does not know it ignores it.</summary>
    public const MethodImplOptions Optimized = (MethodImplOptions)512;

    /// <summary>The same for what a caller that is optimized itself should have in line.</summary>
    public const MethodImplOptions Inlined = Optimized | MethodImplOptions.AggressiveInlining;
}
