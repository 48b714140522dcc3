using System;
using System.IO;

namespace Ipc.Pipelines;

/// <summary>Pipes and streams over connections that exist.</summary>
public static class IpcPipeExtensions
{
    /// <summary>The connection as a pipe: both sides have agreed on it. Nothing else may use its ends from here on, and
    /// it ends with the pipe.</summary>
    /// <param name="connection">A client's, or what <see cref="Listener.AcceptAsync(System.Threading.CancellationToken)"/>
    /// returned. One that a loop over <c>NextAsync</c> watches is the listener's: use
    /// <see cref="IpcPipeListener"/>.</param>
    /// <param name="options">How it waits, and whether reads are copies; the rest is of no matter.</param>
    public static IpcPipe AsPipe(this Connection connection, IpcPipeOptions? options = null)
    {
        if (connection is null)
            throw new ArgumentNullException(nameof(connection));
        return IpcPipe.Of(connection, options ?? new IpcPipeOptions());
    }

    /// <summary>The connection as a stream: see <see cref="AsPipe"/>.</summary>
    /// <param name="connection">See <see cref="AsPipe"/>.</param>
    /// <param name="options">See <see cref="AsPipe"/>.</param>
    public static Stream AsStream(this Connection connection, IpcPipeOptions? options = null) =>
        connection.AsPipe(options).AsStream();
}
