using System;
using System.Collections.Generic;
using System.Globalization;
using Ipc.Rpc;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Refuses at the start of the host what would be refused later, all of it at once.</summary>
internal abstract class IpcOptionsValidator<TOptions> : IValidateOptions<TOptions>
    where TOptions : class
{
    public ValidateOptionsResult Validate(string? name, TOptions options)
    {
        var wrong = new List<string>();
        Check(options, wrong);
        return wrong.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(wrong);
    }

    /// <summary>A name that no region can have is found out by the first call otherwise.</summary>
    private protected static void CheckName(string name, string whose, List<string> wrong)
    {
        bool isName = !string.IsNullOrEmpty(name) && name.Length <= 120 && name[0] != '.';
        foreach (char c in name ?? string.Empty)
            isName &= c is (>= 'a' and <= 'z') or (>= 'A' and <= 'Z') or (>= '0' and <= '9') or '.' or '_' or '-';
        if (!isName)
            wrong.Add("Name is \"" + name + "\"; " + whose + " is 1 to 120 letters A-Z a-z, digits, dots, _ and -, and does not begin with a dot.");
    }

    private protected static void CheckRange(string name, long value, long least, long most, string unit, List<string> wrong)
    {
        if (value < least || value > most)
            wrong.Add("Rpc." + name + " is " + Number(value) + "; it is " + Number(least) + (most == long.MaxValue ? " or more " : " to " + Number(most) + " ") + unit + ".");
    }

    private protected static void CheckRing(string name, long value, List<string> wrong)
    {
        if (value < 4096 || value > 1 << 30 || (value & (value - 1)) != 0)
            wrong.Add("Rpc." + name + " is " + Number(value) + "; a ring is a power of two from 4096 to 1073741824 bytes.");
    }

    /// <param name="path">Where in <c>Rpc</c> they are, with a dot at its end; empty for themselves.</param>
    /// <param name="rpc">The options of a server.</param>
    /// <param name="wrong">What is wrong.</param>
    private protected static void CheckServer(string path, RpcServerOptions rpc, List<string> wrong)
    {
        CheckRange(path + "MaxConnections", rpc.MaxConnections, 1, 16383, "clients", wrong);
        CheckRing(path + "MaxRingCapacity", rpc.MaxRingCapacity, wrong);
        CheckRange(path + "MaxLoanBudget", rpc.MaxLoanBudget, 0, 64L << 30, "bytes", wrong);
        CheckRange(path + "MaxThreads", rpc.MaxThreads, 2, int.MaxValue, "threads: one that leads and one that can take over", wrong);
        CheckRange(path + "MaxPendingCalls", rpc.MaxPendingCalls, 1, int.MaxValue, "calls", wrong);
        CheckRange(path + "MaxUnsentBytes", rpc.MaxUnsentBytes, 1, long.MaxValue, "bytes", wrong);
        CheckRange(path + "MaxHeldBytes", rpc.MaxHeldBytes, 1, long.MaxValue, "bytes", wrong);
        CheckRange(path + "MaxConcurrentCalls", rpc.MaxConcurrentCalls, 0, int.MaxValue, "calls, 0 for any number", wrong);
        CheckRange(path + "StreamWindow", rpc.StreamWindow, 32, ushort.MaxValue, "items", wrong);
    }

    private protected static void CheckRetry(RpcRetryPolicy? retry, List<string> wrong)
    {
        if (retry is null)
            return;
        CheckRange("Retry.Attempts", retry.Attempts, 1, int.MaxValue, "calls", wrong);
        if (retry.FirstPause < TimeSpan.Zero || retry.FirstPause > retry.LongestPause || retry.LongestPause > TimeSpan.FromDays(1))
            wrong.Add("Rpc.Retry.FirstPause is " + retry.FirstPause + " and LongestPause " + retry.LongestPause + "; neither is negative, and the first is no longer than the other, which is a day at most.");
    }

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);

    /// <summary>Adds what is wrong.</summary>
    private protected abstract void Check(TOptions options, List<string> wrong);
}
