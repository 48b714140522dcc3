using System;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin;

/// <summary>Work that a user can break off who has the thread that waits for it.</summary>
internal static class UserBreaks
{
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(50);

    /// <summary>Whether there is a user who may end what this thread waits for, and does.</summary>
    public static bool HasCome(IUserBreak? user) => user is { IsPossible: true } && user.HasCome();

    /// <summary>The work's result or failure: on this thread where nobody can break it off, on one of its own where somebody can.</summary>
    /// <remarks>Not on one of the pool: requests to daemons that hang may have all of those, and this one would not begin.</remarks>
    /// <exception cref="UserBreakException">He has. The work has been told, and goes on until it notices.</exception>
    public static T Run<T>(IUserBreak? user, Func<CancellationToken, T> work)
    {
        if (user is not { IsPossible: true })
            return work(CancellationToken.None);
        var end = new CancellationTokenSource(); // has nothing to dispose: no timer, no handle
        for (Task<T>? done = null; !user.HasCome();)
        {
            done ??= Task.Factory.StartNew(() => work(end.Token), end.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);
            if (Task.WaitAny(new Task[] { done }, Interval) == 0)
                return done.GetAwaiter().GetResult();
        }

        end.Cancel();
        throw new UserBreakException();
    }
}
