using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <content>Connecting without holding a thread. The steps are those of <see cref="Connect"/>; between two looks at a
/// server that is not there, or at a lock that is taken, a timer runs.</content>
public sealed partial class Connection
{
    private const int LongestNap = 20; // ms

    /// <summary>Connects to the listener <paramref name="name"/> and waits until the server accepts or refuses, without
    /// blocking a thread.</summary>
    /// <remarks>
    /// <para>Opening and mapping files run on the caller's thread. The continuation runs on the thread pool, or in the
    /// context that awaited. If nobody awaits the task, its connection stays open until it is garbage collected or the
    /// process ends: cancel a request that is not wanted any more.</para>
    /// <para><see cref="ConnectOptions.Deadline"/> applies as for <see cref="Connect"/>. All exceptions are in the
    /// task; the call itself throws none.</para>
    /// </remarks>
    /// <param name="name">As for <see cref="Connect"/>.</param>
    /// <param name="options">They must not be changed before the task completes.</param>
    /// <param name="cancellationToken">Cancels the request and withdraws it.</param>
    /// <exception cref="IpcException">NotFound: there is no server by the deadline; PeerClosed, PeerDied: the server
    /// ended meanwhile; TableFull; or any status of opening a region.</exception>
    /// <exception cref="ConnectionRefusedException">The server refused; its text is the message.</exception>
    /// <exception cref="TimeoutException">There is a server, but it did not answer by the deadline.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static async Task<Connection> ConnectAsync(
        string name, ConnectOptions? options = null, CancellationToken cancellationToken = default)
    {
        try
        {
            name = AddressScheme.NameOf(name);
            RegionName.Check(name);
            _ = options?.Style;
            return await ConnectedAsync(name, options ?? new ConnectOptions(), cancellationToken).ConfigureAwait(false);
        }
        catch (IpcException error) when (error.Status == IpcStatus.Timeout)
        {
            throw new TimeoutException(error.Message, error);
        }
        catch (IpcException error) when (error.Status == IpcStatus.Cancelled)
        {
            throw new OperationCanceledException(error.Message, error, cancellationToken);
        }
    }

    private static async Task<Connection> ConnectedAsync(
        string name, ConnectOptions options, CancellationToken cancellationToken)
    {
        Deadline answer = OrFiveSeconds(options.Deadline);
        for (; ; )
        {
            ListenerEntrance entrance = ListenerEntrance.ForClient(options.Access);
            Region listener = await AttachAsync(
                name, entrance, options.Deadline, cancellationToken).ConfigureAwait(false);
            try
            {
                return await ConnectedAsync(
                    name, listener, entrance, options, answer, cancellationToken).ConfigureAwait(false);
            }
            catch (IpcException error) when (HasSuccessor(listener, error) && !answer.HasPassed)
            {
            }
        }
    }

    private static async Task<Connection> ConnectedAsync(
        string name,
        Region listener,
        ListenerEntrance entrance,
        ConnectOptions options,
        Deadline answer,
        CancellationToken cancellationToken)
    {
        Connection? connection = null;
        try
        {
            connection = Prepare(name, listener, entrance, options, out Region region);
            await connection.AskAsync(name, region, options.Deadline, cancellationToken).ConfigureAwait(false);
            entrance.PeersWereRecovered = connection.PeersRecovered;
            listener.WatchParticipant(0);
            connection.CheckReply(
                name,
                await connection.ReplyAsync(options.Style, answer, cancellationToken).ConfigureAwait(false));
            return connection;
        }
        catch
        {
            if (connection is not null)
            {
                connection.Dispose();
            }
            else
            {
                listener.Leave();
                listener.View.Dispose();
            }

            throw;
        }
    }

    private static async Task<Region> AttachAsync(
        string name, ListenerEntrance entrance, Deadline deadline, CancellationToken cancellationToken)
    {
        Deadline unlocked = OrFiveSeconds(deadline);
        for (int nap = 1; ; nap = Math.Min(nap * 2, LongestNap))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (Region.TryAttachNow(name, entrance, out bool isLocked) is { } listener)
                return listener;
            if ((isLocked ? unlocked : deadline).HasPassed)
                Region.ThrowNotAttached(name, entrance, isLocked);
            await Task.Delay(nap, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task AskAsync(string name, Region region, Deadline deadline, CancellationToken cancellationToken)
    {
        try
        {
            Deadline unlocked = OrFiveSeconds(deadline);
            while (!_listenerRegion.TryLock(Deadline.Now))
            {
                if (unlocked.HasPassed)
                    Region.ThrowLocked(_listenerRegion.Path);
                await Task.Delay(1, cancellationToken).ConfigureAwait(false);
            }

            AskAndUnlock(name, region); // no await in between: the lock is this thread's
        }
        catch
        {
            region.CloseFile();
            throw;
        }

        region.CloseFileUnlessNeeded();
        RingForAnswer();
    }
}
