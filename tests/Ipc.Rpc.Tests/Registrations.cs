using System.Reflection;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What is registered with a token. The runtime does not say; its fields do.</summary>
internal static class Registrations
{
    private const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;

    public static int Count(CancellationTokenSource source)
    {
        object? registrations = typeof(CancellationTokenSource).GetField("_registrations", Hidden)!.GetValue(source);
        if (registrations is null)
            return 0;

        FieldInfo? first = registrations.GetType().GetField("Callbacks", Hidden);
        Assert.NotNull(first);
        int count = 0;
        for (object? node = first.GetValue(registrations); node is not null; node = node.GetType().GetField("Next", Hidden)!.GetValue(node))
            count++;
        return count;
    }
}
