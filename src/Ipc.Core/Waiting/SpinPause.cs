#if NET8_0_OR_GREATER
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;
#endif
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>One turn of a spin loop: tells the processor that it is one. <see cref="Thread.SpinWait"/> is a call, and
/// as long as three looks.</summary>
/// <remarks>Ipc.Rpc compiles this file, too.</remarks>
internal static class SpinPause
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Once()
    {
#if NET8_0_OR_GREATER
        if (X86Base.IsSupported)
        {
            X86Base.Pause();
            return;
        }

        if (ArmBase.IsSupported)
        {
            ArmBase.Yield();
            return;
        }
#endif
        Thread.SpinWait(1);
    }
}
