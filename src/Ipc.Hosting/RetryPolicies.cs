using System;
using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>What a builder's Retry sets. Ipc.Hosting.RabbitMq compiles it, too.</summary>
internal static class RetryPolicies
{
    /// <summary>A policy that has its own default for what is <see langword="null"/>.</summary>
    public static RpcRetryPolicy Of(int attempts, RpcStatus[]? on, TimeSpan? firstPause, TimeSpan? longestPause)
    {
        var policy = new RpcRetryPolicy { Attempts = attempts };
        policy.FirstPause = firstPause ?? policy.FirstPause;
        policy.LongestPause = longestPause ?? policy.LongestPause;
        if (on is not null)
        {
            policy.On.Clear();
            foreach (RpcStatus status in on)
                policy.On.Add(status);
        }

        return policy;
    }
}
