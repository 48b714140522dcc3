using System;

namespace Ipc.Tool;

/// <summary>Takes part in a region that others have made: nothing is created, and what keeps the tool out is said in words, with an exit code of its own.</summary>
internal static class Joining
{
    /// <summary>For a region to get ready that is being made at this moment.</summary>
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(2);

    public static QueueOptions Queue() => new() { OpenMode = OpenMode.OpenExisting, OpenTimeout = s_timeout };

    public static TopicOptions Topic() => new() { OpenMode = OpenMode.OpenExisting, OpenTimeout = s_timeout };

    public static RingOptions Ring() => new() { OpenMode = OpenMode.OpenExisting, OpenTimeout = s_timeout };

    /// <summary>Ends the verb unless messages pass there.</summary>
    public static void RequireMessages(RegionReport report)
    {
        CommonOptions.RequireSound(report);
        if (report.Kind is not ("queue" or "ring" or "topic"))
        {
            string instead = report.Kind == "listener" ? " 'ipc call' calls a service." : "";
            throw new ToolException(ExitCode.Unusable, $"{report.Name} is a {report.Kind}: no messages pass there. Queues, rings and topics have some.{instead}");
        }
    }

    /// <summary>Ends the verb when the region is somebody else's, or full of participants.</summary>
    public static T Try<T>(Func<T> open)
    {
        try
        {
            return open();
        }
        catch (IpcException error) when (error.Status is IpcStatus.InUse or IpcStatus.TableFull)
        {
            throw new ToolException(ExitCode.InUse, error.Message);
        }
    }
}
