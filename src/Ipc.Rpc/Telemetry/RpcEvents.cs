using System;
using System.Diagnostics.Tracing;

namespace Ipc.Rpc;

/// <summary>The event source "Ipc": for dotnet-trace, PerfView and ETW, without anything to configure.</summary>
/// <remarks>Rare things are events of their own level; calls are told only to those who ask for the keyword.</remarks>
[EventSource(Name = "Ipc")]
internal sealed class RpcEvents : EventSource
{
    public static readonly RpcEvents Log = new();

    /// <summary>What can be asked for.</summary>
    public static class Keywords
    {
        public const EventKeywords Connections = (EventKeywords)1;
        public const EventKeywords Calls = (EventKeywords)2;
        public const EventKeywords Failures = (EventKeywords)4;
    }

    [Event(1, Level = EventLevel.Informational, Keywords = Keywords.Connections, Message = "Server {0} serves.")]
    public void ServerStarted(string server) => WriteEvent(1, server);

    [Event(2, Level = EventLevel.Informational, Keywords = Keywords.Connections, Message = "Server {0} stopped. {1}")]
    public void ServerStopped(string server, string failure) => WriteEvent(2, server, failure);

    [Event(
        3,
        Level = EventLevel.Informational,
        Keywords = Keywords.Connections,
        Message = "Server {0} accepted process {1}.")]
    public void ClientAccepted(string server, int process) => WriteEvent(3, server, process);

    [Event(
        4,
        Level = EventLevel.Warning,
        Keywords = Keywords.Connections,
        Message = "Server {0} refused process {1}: {2}")]
    public void ClientRefused(string server, int process, string reason) => WriteEvent(4, server, process, reason);

    [Event(
        5,
        Level = EventLevel.Informational,
        Keywords = Keywords.Connections,
        Message = "Server {0} lost process {1}. {2}")]
    public void ClientGone(string server, int process, string reason) => WriteEvent(5, server, process, reason);

    [Event(
        6,
        Level = EventLevel.Informational,
        Keywords = Keywords.Connections,
        Message = "Connected to {0}, process {1}.")]
    public void Connected(string server, int process) => WriteEvent(6, server, process);

    [Event(
        7, Level = EventLevel.Informational, Keywords = Keywords.Connections, Message = "Lost {0}, process {1}: {2}")]
    public void ConnectionLost(string server, int process, string reason) => WriteEvent(7, server, process, reason);

    [Event(8, Level = EventLevel.Verbose, Keywords = Keywords.Calls, Message = "{0} begins.")]
    public void CallStart(string method, bool atServer)
    {
        if (IsEnabled(EventLevel.Verbose, Keywords.Calls))
            WriteEvent(8, method, atServer ? 1 : 0);
    }

    [Event(9, Level = EventLevel.Verbose, Keywords = Keywords.Calls, Message = "{0} ended with status {2}.")]
    public void CallStop(string method, bool atServer, int status)
    {
        if (IsEnabled(EventLevel.Verbose, Keywords.Calls))
            WriteEvent(9, method, atServer ? 1 : 0, status);
    }

    [Event(
        10,
        Level = EventLevel.Warning,
        Keywords = Keywords.Calls,
        Message = "A one-way call to {0} failed with status {1}: {2}")]
    public void OneWayFailed(string method, int status, string text) => WriteEvent(10, method, status, text);

    [Event(
        11,
        Level = EventLevel.Verbose,
        Keywords = Keywords.Calls,
        Message = "A frame for a call that has ended was ignored.")]
    public void FrameDropped(bool atServer) => WriteEvent(11, atServer ? 1 : 0);

    [Event(
        12,
        Level = EventLevel.Error,
        Keywords = Keywords.Failures,
        Message = "{1}, called at {0} by process {2}, ended with status {3}: {4}")]
    public void HandlerFailed(string name, string method, int process, int status, string exception) =>
        WriteEvent(12, name, method, process, status, exception);

    [Event(
        13,
        Level = EventLevel.Informational,
        Keywords = Keywords.Failures,
        Message = "{1}, called at {0} by process {2}, was ended by its handler with status {3}: {4}")]
    public void HandlerRefused(string name, string method, int process, int status, string text) =>
        WriteEvent(13, name, method, process, status, text);

    /// <summary>A handler has thrown something.</summary>
    [NonEvent]
    public void HandlerThrew(
        string name, RpcMethod method, RpcPeer peer, RpcStatus status, Exception thrown, bool isIntended)
    {
        if (!isIntended && IsEnabled(EventLevel.Error, Keywords.Failures))
            HandlerFailed(name, method.FullName, peer.ProcessId, (int)status, ErrorText.Whole(thrown));
        else if (isIntended && IsEnabled(EventLevel.Informational, Keywords.Failures))
            HandlerRefused(name, method.FullName, peer.ProcessId, (int)status, ErrorText.Of(thrown));
    }
}
