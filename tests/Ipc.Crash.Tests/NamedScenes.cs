using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults on the way into a named connection, and in its acknowledgements. Object 1 is the listener, or the client's connection.</summary>
internal static class NamedScenes
{
    private const string Waiting = "timeout=600000";

    /// <summary>The victim is a client that logs in; it has sent one message before.</summary>
    public static void LoggingIn(Scene scene)
    {
        Driven server = scene.Survivor("server"), client = scene.Victim;
        server.Must($"open-named-listener 1 {scene.Name}");
        Open(client, scene);
        Send(client, 1);
        client.Begin($"named-login 1 {Waiting}");
        scene.WaitForFault();
        if (scene.Kills)
        {
            client = scene.Survivor("client");
            Open(client, scene);
            client.Begin($"named-login 1 {Waiting}");
        }
        else
        {
            client.Continue();
        }

        int connection = Accept(server);
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        Send(client, 2);
        Receive(server, connection, 1, again: false);
        Receive(server, connection, 2, again: false);
        End(scene, server, client);
    }

    /// <summary>The victim is the server that a client logs in to.</summary>
    public static void Accepting(Scene scene, bool attached)
    {
        Driven server = scene.Victim, client = scene.Survivor("client");
        server.Must($"open-named-listener 1 {scene.Name}");
        Open(client, scene);
        Send(client, 1);
        client.Begin($"named-login 1 {Waiting}");
        int connection = -1;
        if (attached)
        {
            server.Begin($"named-next 1 {Waiting}");
        }
        else
        {
            connection = (int)server.Must($"named-next 1 {Waiting}")["connection"];
            server.Begin($"named-accept {connection} welcome");
        }

        scene.WaitForFault();
        if (scene.Kills)
        {
            // C# asks once, or again where the name leads to another server by then: there is none yet. The C library
            // goes on until its deadline.
            bool asksOnce = scene.SurvivorLanguage == Language.CSharp;
            if (asksOnce)
                Assert.Equal(IpcStatus.PeerDied, client.Result().Status);
            server = scene.Survivor("server");
            server.Must($"open-named-listener 1 {scene.Name}");
            if (asksOnce)
                client.Begin($"named-login 1 {Waiting}");
            connection = Accept(server);
        }
        else
        {
            server.Continue();
            Answer answer = server.Result();
            Assert.Equal(IpcStatus.Ok, answer.Status);
            if (attached)
            {
                connection = (int)answer["connection"];
                server.Must($"named-accept {connection} welcome");
            }
        }

        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        Send(client, 2);
        Receive(server, connection, 1, again: scene.Kills); // the victim had the reading end: it may have handled what was there
        Receive(server, connection, 2, again: false);
        End(scene, server, client);
    }

    /// <summary>The victim is a server that has received three messages, and acknowledges two.</summary>
    public static void Acknowledging(Scene scene)
    {
        Driven server = scene.Victim, client = scene.Survivor("client");
        server.Must($"open-named-listener 1 {scene.Name}");
        Open(client, scene);
        client.Begin($"named-login 1 {Waiting}");
        int connection = Accept(server);
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        for (int number = 1; number <= 3; number++)
        {
            Send(client, number);
            Receive(server, connection, number, again: false);
        }

        server.Begin($"named-acknowledge {connection} 2");
        scene.WaitForFault();
        if (scene.Kills)
        {
            server = scene.Survivor("server");
            server.Must($"open-named-listener 1 {scene.Name}");
            client.Begin($"named-login 1 {Waiting}");
            connection = Accept(server);
            Assert.Equal(IpcStatus.Ok, client.Result().Status);
            Receive(server, connection, 3, again: true); // and not 2, which was acknowledged
        }
        else
        {
            server.Continue();
            Assert.Equal(2, Scene.Good(server.Result())["acknowledged"]);
        }

        Send(client, 4);
        Receive(server, connection, 4, again: false);
        End(scene, server, client);
    }

    /// <summary>The victim is a client that finds another server than before.</summary>
    public static void Resetting(Scene scene)
    {
        Driven server = scene.Survivor("server"), client = scene.Victim;
        server.Must($"open-named-listener 1 {scene.Name} identity=monday");
        Open(client, scene);
        client.Begin($"named-login 1 {Waiting}");
        Accept(server);
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        Send(client, 1);
        server.Must("close 1");
        server.Must($"open-named-listener 1 {scene.Name} identity=tuesday");
        server.Begin($"named-next 1 {Waiting}");
        client.Begin($"named-login 1 {Waiting}");
        scene.WaitForFault();
        if (scene.Kills)
        {
            client = scene.Survivor("client");
            Open(client, scene);
            client.Begin($"named-login 1 {Waiting}");
        }
        else
        {
            client.Continue();
        }

        Answer login = Scene.Good(server.Result());
        Assert.Equal(1, login["kind"]);
        int connection = (int)login["connection"];
        server.Must($"named-accept {connection} welcome");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        Send(client, 1);
        Receive(server, connection, 1, again: false);
        End(scene, server, client);
    }

    private static void Open(Driven client, Scene scene) => client.Must($"open-named 1 {scene.Name} trader reconnect=0");

    private static void Send(Driven client, int number) => Assert.Equal(number, client.Must($"named-send 1 50 {Waiting}")["sequence"]);

    private static int Accept(Driven server)
    {
        Answer found = server.Must($"named-next 1 {Waiting}");
        while (found["kind"] != 1)
            found = server.Must($"named-next 1 {Waiting}");
        int connection = (int)found["connection"];
        server.Must($"named-accept {connection} welcome");
        return connection;
    }

    private static void Receive(Driven server, int connection, int number, bool again)
    {
        Answer got = server.Must($"named-receive {connection} {Waiting}");
        Assert.Equal((number, again ? 1 : 0), ((int)got["sequence"], (int)got["redelivered"]));
    }

    private static void End(Scene scene, Driven server, Driven client)
    {
        client.Must("close 1");
        server.Must("close 1");
        server.Must($"named-remove {scene.Name} trader");
        scene.CheckNothingLeft();
    }
}
