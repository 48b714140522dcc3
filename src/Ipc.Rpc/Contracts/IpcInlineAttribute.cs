using System;

namespace Ipc.Rpc;

/// <summary>This method returns so fast that the thread which reads requests runs it, and no other thread takes over
/// reading meanwhile.</summary>
/// <remarks>It saves the preparation for handing over. If such a method blocks, it blocks every connection of its
/// server.</remarks>
[AttributeUsage(AttributeTargets.Method, Inherited = false)]
public sealed class IpcInlineAttribute : Attribute
{
}
