using System;

namespace Ipc.Rpc;

/// <summary>This method returns so fast that the thread that reads requests runs it and never hands reading over
/// meanwhile.</summary>
/// <remarks>It saves the hand-over's bookkeeping. A method that blocks after all blocks every connection of its
/// server.</remarks>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
public sealed class IpcInlineAttribute : Attribute
{
}
