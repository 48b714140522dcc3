using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What ends do beside their callers, on the pool. Calls that are made there, and what comes on connections
/// that are opened there, would have the deadline, the token and the trace of whoever has begun it: none of that
/// flows.</summary>
internal static class Background
{
    public static Task Run(Func<Task> work)
    {
        if (ExecutionContext.IsFlowSuppressed())
            return Task.Run(work, CancellationToken.None);
        using (ExecutionContext.SuppressFlow())
            return Task.Run(work, CancellationToken.None);
    }

    /// <summary>Does it again and again, whatever becomes of it.</summary>
    /// <param name="work">Lasts as long as it likes.</param>
    /// <param name="troubled">Is told what it has failed with. Throws nothing.</param>
    /// <param name="pause">After each time.</param>
    /// <param name="closing">Ends it. What it fails with from then on is not told.</param>
    /// <returns>Its end. It does not fail.</returns>
    public static Task Repeat(Func<Task> work, Action<string> troubled, TimeSpan pause, CancellationToken closing)
        => Run(() => RepeatAsync(work, troubled, pause, closing));

    private static async Task RepeatAsync(
        Func<Task> work, Action<string> troubled, TimeSpan pause, CancellationToken closing)
    {
        while (!closing.IsCancellationRequested)
        {
            try
            {
                await work().ConfigureAwait(false);
            }
#pragma warning disable CA1031 // whatever it is: it is said, and tried again
            catch (Exception e)
#pragma warning restore CA1031
            {
                if (closing.IsCancellationRequested)
                    return;
                troubled(ErrorText.Of(e));
            }

            await Task.WhenAny(Task.Delay(pause, closing)).ConfigureAwait(false);
        }
    }
}
