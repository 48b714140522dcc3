using System;

namespace Ipc.Tool;

/// <summary>Two processes and two rings: the whole of it, once.</summary>
internal static class EchoCheck
{
    private const int RoundTrips = 2000, Bytes = 64;

    public static Finding Run()
    {
        const string Check = "two processes";
        try
        {
            double[] times = RingEcho.Measure($"ipc-doctor-{Environment.ProcessId}", RoundTrips, Bytes, out string? problem);
            return problem is null
                ? Finding.Ok(Check, $"{RoundTrips} messages of {Bytes} bytes there and back, median {Human.Duration(times[times.Length / 2])}")
                : Finding.Problem(Check, $"no echo from the other process: {problem}", "look at the problems above first; both processes have to see the same directory");
        }
        catch (IpcException error)
        {
            return Finding.Problem(Check, error.Message, "look at the problems above first");
        }
    }
}
