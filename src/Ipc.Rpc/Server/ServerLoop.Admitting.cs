using System;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Clients that want to connect.</content>
internal sealed partial class ServerLoop
{
    private const string Stopping = "The server is stopping.";

    private void Admit(Leader me, Connection connection)
    {
        ServerConnection? accepted = null;
        try
        {
            var peer = new RpcPeer(connection.PeerProcessId, connection.PeerUserId, connection.Hello.ToArray());
            bool stopping = Host.IsDraining;
            string? refusal = stopping ? Stopping : Ask(peer);
            if (refusal is not null)
            {
                if (stopping)
                    connection.Shutdown(CloseCode.Shutdown, Stopping); // before the answer: it is no refusal
                connection.Refuse(refusal);
                if (RpcEvents.Log.IsEnabled())
                    RpcEvents.Log.ClientRefused(Name, peer.ProcessId, refusal);
                return;
            }

            accepted = new ServerConnection(this, connection, peer);
            connection.Context = accepted;
            Add(accepted); // first: a client that knows that it is connected is counted
            connection.Accept();
            me.Lent.Add(accepted);
            if (RpcEvents.Log.IsEnabled())
                RpcEvents.Log.ClientAccepted(Name, peer.ProcessId);
        }
        catch (IpcException)
        {
            // the client went away, or its region is not what it has to be; it has been told what can be told
            connection.Dispose();
            if (accepted is not null)
                Remove(accepted);
        }
    }

    private void Add(ServerConnection accepted)
    {
        lock (_connections)
        {
            _connections.Add(accepted);
            Volatile.Write(ref _connectionCount, _connections.Count);
        }

        RpcCensus.Add(accepted);
    }

    private void Remove(ServerConnection accepted)
    {
        RpcCensus.Remove(accepted);
        Forget(accepted);
    }

    private string? Ask(RpcPeer peer)
    {
        if (Options.Accept is not { } accept)
            return null;

        try
        {
            return accept(peer);
        }
#pragma warning disable CA1031 // the client gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            return "The server's decision about this client failed: " + e.GetType().Name + ": " + ErrorText.Of(e);
        }
    }

    /// <summary>A client's admission, which asks the user's code.</summary>
    private readonly struct Admission : CleanContext.IWork
    {
        private readonly ServerLoop _server;
        private readonly Leader _leader;
        private readonly Connection _connection;

        public Admission(ServerLoop server, Leader leader, Connection connection)
        {
            _server = server;
            _leader = leader;
            _connection = connection;
        }

        public void Run() => _server.Admit(_leader, _connection);
    }
}
