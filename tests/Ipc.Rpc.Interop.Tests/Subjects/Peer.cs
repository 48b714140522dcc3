using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>The other processes.</summary>
internal static class Peer
{
    /// <summary>Else it first collects when as much has been allocated as the largest cache holds: hundreds of MB on some machines.</summary>
    private static readonly Dictionary<string, string> _environment = new() { ["DOTNET_GCgen0size"] = "0x400000" };

    /// <summary><c>rpc_peer</c> with a verb. It ends when its input does, if it serves.</summary>
    public static OtherProcess Native(params string[] words) => new(true, null, [Repository.NativePeer, .. words]);

    /// <summary>A server of the contract of these tests, ready.</summary>
    public static OtherProcess Server(Language language, string name) => Start(true, language == Language.CSharp ? Managed("tests") : [Repository.NativePeer, "serve"], name);

    /// <summary>A C++ client of calls that fail, which prints what the errors say.</summary>
    public static OtherProcess Errors(string name) => new(false, null, Repository.NativePeer, "errors", name);

    /// <summary>A C++ client that prints what its server has.</summary>
    public static OtherProcess List(string name) => new(false, null, Repository.NativePeer, "list", name);

    /// <summary>A client that makes calls of every shape until it is killed.</summary>
    public static OtherProcess Storm(Language language, string name)
        => Start(false, language == Language.CSharp ? Managed("storm") : [Repository.NativePeer, "storm"], name);

    /// <summary>A server that notes what it handles in the file, and that stops in good order when its input ends; or that is killed at a fault point. A slow one takes a millisecond for some of its
    /// calls.</summary>
    public static OtherProcess RestartedServer(Language language, string name, string file, string? fault = null, bool isSlow = false)
    {
        Dictionary<string, string> environment = fault is null ? _environment : new(_environment) { ["IPC_FAULT"] = fault };
        string[] command = language == Language.Cpp && fault is not null ? [Repository.NativeFaultPeer, "restart-serve"] : Verb(language, "restart-serve");
        return new OtherProcess(true, environment, [.. command, name, file, .. isSlow ? ["slow"] : Array.Empty<string>()]).WaitUntilReady();
    }

    /// <summary>The same, which takes the name of the one that has it, and ends when the next one has.</summary>
    public static OtherProcess FollowingServer(Language language, string name, string file)
        => new OtherProcess(true, _environment, [.. Verb(language, "restart-serve"), name, file, "follow"]).WaitUntilReady();

    /// <summary>A client that calls such servers until its input ends.</summary>
    public static OtherProcess RestartedClient(Language language, string name)
        => new OtherProcess(true, _environment, [.. Verb(language, "restart-call"), name]).WaitUntilReady();

    private static string[] Verb(Language language, string verb) => language == Language.CSharp ? Managed(verb) : [Repository.NativePeer, verb];

    private static OtherProcess Start(bool isServer, string[] command, string name) => new OtherProcess(isServer, _environment, [.. command, name]).WaitUntilReady();

    private static string[] Managed(string verb) => [PeerPrograms.Dotnet, Path.Combine(AppContext.BaseDirectory, "Ipc.Rpc.Peer.dll"), verb];
}
