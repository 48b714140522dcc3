using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults of servers and clients. Object 1 is the listener or the connection of each process.</summary>
internal static class ConnectionScenes
{
    private const string InSteps = " steps=1", LongMessages = " budget=4194304";

    /// <summary>The victim makes a listener.</summary>
    public static void OpeningAListener(Scene scene)
    {
        Driven server = scene.Survivor("server");
        scene.Victim.Begin($"listen 1 {scene.Name} max=63");
        scene.WaitForFault();
        if (scene.Kills)
            Assert.Empty(scene.Files);
        server.Must($"listen 1 {scene.Name} max=63");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.InUse, scene.Victim.Result().Status);
        }
        server.Begin("serve 1 timeout=600000");
        Driven client = scene.Survivor("client");
        client.Must($"connect 1 {scene.Name} timeout=600000");
        End(scene, server, client);
    }

    /// <summary>The victim is the server; a client waits for its answer.</summary>
    public static void Accepting(Scene scene)
    {
        Driven server = scene.Victim, client = scene.Survivor("client");
        server.Must($"listen 1 {scene.Name} max=63");
        server.Begin("serve 1 timeout=600000");
        client.Begin($"connect 1 {scene.Name} timeout=600000");
        scene.WaitForFault();
        if (scene.Kills)
        {
            Answer answer = client.Result();
            if (answer.Status == IpcStatus.Ok) // answered before the death
                Assert.Equal(IpcStatus.PeerDied, client.Do("read 1 timeout=600000").Status);
            else
                Assert.True(answer.Status is IpcStatus.PeerDied, $"{answer}");
            client.Must("close 1");
            server = Replaced(scene, client);
        }
        else
        {
            server.Continue();
            Assert.Equal(IpcStatus.Ok, client.Result().Status);
        }
        End(scene, server, client);
    }

    /// <summary>The victim is the server; the client that it takes dies meanwhile, and another one has the slot by the time it goes on.</summary>
    public static void AcceptingADeadClient(Scene scene)
    {
        Driven server = scene.Victim, first = scene.Survivor("first"), second = scene.Survivor("second");
        server.Must($"listen 1 {scene.Name} max=63");
        server.Begin("serve 1 timeout=600000");
        first.Begin($"connect 1 {scene.Name} timeout=600000");
        scene.WaitForFault();
        ulong word = scene.Kills ? 0 : scene.SlotWord(1);
        first.Kill();
        if (scene.Kills)
        {
            server = Replaced(scene, second);
        }
        else
        {
            second.Begin($"connect 1 {scene.Name} timeout=600000");
            Watchdog.Until(() => (scene.SlotWord(1) & 0xFF) == Wire.Listener.Requested && scene.SlotWord(1) != word, "the second client to ask in the same slot");
            server.Continue();
            Assert.Equal(IpcStatus.Ok, second.Result().Status);
        }
        End(scene, server, second);
    }

    /// <summary>The victim comes in, and cleans up for a client that died while it was asking.</summary>
    public static void Withdrawing(Scene scene)
    {
        Driven server = scene.Survivor("server"), dying = scene.Survivor("dying"), next = scene.Survivor("next");
        server.Must($"listen 1 {scene.Name} max=63");
        dying.Begin($"connect 1 {scene.Name} timeout=600000");
        Watchdog.Until(() => (scene.SlotWord(1) & 0xFF) == Wire.Listener.Requested, "the client to ask");
        dying.Kill();
        scene.Victim.Begin($"connect 1 {scene.Name} timeout=600000");
        scene.WaitForFault();
        server.Begin("serve 1 timeout=600000");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            scene.Victim.Must("close 1");
        }
        next.Must($"connect 1 {scene.Name} timeout=600000");
        End(scene, server, next);
    }

    /// <summary>The victim is a client on its way in; its server leaves in order. What the victim has made is gone, whatever becomes of it.</summary>
    public static void TheServerLeaves(Scene scene, bool killsIt) => TheServerLeaves(scene, killsIt, string.Empty);

    /// <summary>The same, and no thread of the victim waits in the library.</summary>
    public static void TheServerLeavesBetweenSteps(Scene scene) => TheServerLeaves(scene, killsIt: false, InSteps);

    private static void TheServerLeaves(Scene scene, bool killsIt, string how)
    {
        Driven server = scene.Survivor("server");
        server.Must($"listen 1 {scene.Name} max=63");
        scene.Victim.Begin($"connect 1 {scene.Name} timeout=600000{how}");
        scene.WaitForFault();
        server.Must("close 1");
        if (!scene.Kills && killsIt)
        {
            scene.Victim.Kill();
        }
        else if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.True(scene.Victim.Result().Status is IpcStatus.PeerClosed or IpcStatus.Refused);
        }
        scene.CheckNothingLeft();
    }

    /// <summary>The victim is a client on its way in; another client is served all the time.</summary>
    public static void Connecting(Scene scene) => Connecting(scene, string.Empty);

    /// <summary>The same, and no thread of the victim waits in the library.</summary>
    public static void ConnectingInSteps(Scene scene) => Connecting(scene, InSteps);

    private static void Connecting(Scene scene, string how)
    {
        (Driven server, Driven client) = Served(scene);
        scene.Victim.Begin($"connect 1 {scene.Name} timeout=600000{how}");
        scene.WaitForFault();
        client.Must("ping 1 1 50 1000 timeout=600000");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            scene.Victim.Must("ping 1 1 50 1000 timeout=600000");
            scene.Victim.Must("close 1");
        }
        else
        {
            // Before it has asked the server nobody knows of it: the next one who comes in cleans up after it.
            Driven next = scene.Survivor("next");
            next.Must($"connect 1 {scene.Name} timeout=600000");
            next.Must("ping 1 1 50 1000 timeout=600000");
            next.Must("close 1");
        }
        Watchdog.Until(() => scene.Files.Count == 1, "the victim's region to lose its name");
        scene.CheckTable(live: 2);
        End(scene, server, client);
    }

    /// <summary>The victim is a client that closes.</summary>
    public static void ClientCloses(Scene scene)
    {
        (Driven server, Driven client) = Served(scene);
        scene.Victim.Must($"connect 1 {scene.Name} timeout=600000");
        scene.Victim.Must("ping 1 1 50 1000 timeout=600000");
        scene.Victim.Begin("close 1");
        scene.WaitForFault();
        client.Must("ping 1 1 50 1000 timeout=600000");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
        }
        scene.CheckTable(live: 2);
        End(scene, server, client);
    }

    /// <returns>The server's number of the connection.</returns>
    private static long Connect(Scene scene, Driven server, Driven client)
    {
        server.Must($"listen 1 {scene.Name} max=63");
        client.Begin($"connect 1 {scene.Name} timeout=600000");
        long connection = server.Must("next 1 timeout=600000")["connection"];
        server.Must($"accept {connection}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        return connection;
    }

    /// <summary>The victim is a server that closes the connection of a client that waits for an answer.</summary>
    public static void ServerCloses(Scene scene)
    {
        Driven server = scene.Victim, client = scene.Survivor("client");
        long connection = Connect(scene, server, client);
        server.Must($"write {connection} 1 100 1 timeout=600000");
        client.Begin("receive 1 1 0 100 timeout=1"); // nothing yet: it has an open connection
        client.Result();
        server.Begin($"close {connection}");
        scene.WaitForFault();
        Assert.Equal(1, client.Must("read 1 timeout=600000")["type"]); // published before the close
        client.Must("release 1");
        client.Begin("read 1 timeout=600000");
        if (scene.Kills)
        {
            Assert.True(client.Result().Status is IpcStatus.PeerDied or IpcStatus.PeerClosed);
            client.Must("close 1");
            server = scene.Survivor("server");
            server.Must($"listen 1 {scene.Name} max=63");
        }
        else
        {
            server.Continue();
            Assert.Equal(IpcStatus.Ok, server.Result().Status);
            Assert.Equal(IpcStatus.PeerClosed, client.Result().Status);
            client.Must("close 1");
        }
        server.Begin("serve 1 timeout=600000");
        client.Must($"connect 1 {scene.Name} timeout=600000");
        End(scene, server, client);
    }

    /// <summary>The same, and the client sleeps meanwhile: nobody has woken it when the server has closed.</summary>
    public static void ServerClosesWhileItsClientSleeps(Scene scene)
    {
        Driven server = scene.Victim, client = scene.Survivor("client");
        long connection = Connect(scene, server, client);
        client.Begin("read 1 timeout=600000");
        server.Begin($"close {connection}");
        scene.WaitForFault();
        if (scene.Kills)
        {
            Assert.True(client.Result().Status is IpcStatus.PeerDied or IpcStatus.PeerClosed);
            server = scene.Survivor("server");
            server.Must($"listen 1 {scene.Name} max=63");
        }
        else
        {
            server.Continue();
            Assert.Equal(IpcStatus.Ok, server.Result().Status);
            Assert.Equal(IpcStatus.PeerClosed, client.Result().Status);
        }
        client.Must("close 1");
        server.Begin("serve 1 timeout=600000");
        client.Must($"connect 1 {scene.Name} timeout=600000");
        End(scene, server, client);
    }

    /// <summary>The victim is the server; one of its two clients has closed and its slot is being freed.</summary>
    public static void ServerFreesASlot(Scene scene)
    {
        Driven client = scene.Survivor("client"), leaving = scene.Survivor("leaving"), server = Serving(scene, scene.Victim, client);
        leaving.Must($"connect 1 {scene.Name} timeout=600000");
        leaving.Must("ping 1 1 50 1000 timeout=600000");
        leaving.Must("close 1");
        scene.WaitForFault();
        if (scene.Kills)
        {
            Assert.Equal(IpcStatus.PeerDied, client.Do("read 1 timeout=600000").Status);
            client.Must("close 1");
            server = Replaced(scene, client);
        }
        else
        {
            server.Continue();
        }
        scene.CheckTable(live: 2);
        End(scene, server, client);
    }

    /// <summary>The victim is a client in the middle of a message; another client is served all the time.</summary>
    public static void ClientSends(Scene scene, int messages, int bytes)
    {
        (Driven server, Driven client) = Served(scene);
        scene.Victim.Must($"connect 1 {scene.Name}{LongMessages} timeout=600000");
        scene.Victim.Begin($"ping 1 1 {messages} {bytes} timeout=600000");
        scene.WaitForFault();
        client.Must("ping 1 1 50 1000 timeout=600000");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            scene.Victim.Must("close 1");
        }
        scene.CheckTable(live: 2);
        End(scene, server, client);
    }

    /// <summary>The victim is a server in the middle of its answer.</summary>
    public static void ServerAnswers(Scene scene, int messages, int bytes)
    {
        Driven client = scene.Survivor("client"), server = Serving(scene, scene.Victim, client, LongMessages);
        client.Begin($"ping 1 1 {messages} {bytes} timeout=600000");
        scene.WaitForFault();
        if (scene.Kills)
        {
            Assert.Equal(IpcStatus.PeerDied, client.Result().Status);
            client.Must("close 1");
            server = Replaced(scene, client);
        }
        else
        {
            server.Continue();
            Assert.Equal(IpcStatus.Ok, client.Result().Status);
        }
        End(scene, server, client);
    }

    private static (Driven Server, Driven Client) Served(Scene scene)
    {
        Driven client = scene.Survivor("client");
        return (Serving(scene, scene.Survivor("server"), client), client);
    }

    /// <summary>Another server in the place of the victim, and the client is its client.</summary>
    private static Driven Replaced(Scene scene, Driven client) => Serving(scene, scene.Survivor("server"), client);

    private static Driven Serving(Scene scene, Driven server, Driven client, string options = "")
    {
        server.Must($"listen 1 {scene.Name} max=63");
        server.Begin("serve 1 timeout=600000");
        client.Must($"connect 1 {scene.Name}{options} timeout=600000");
        return server;
    }

    /// <summary>The service works, ends, and leaves nothing.</summary>
    private static void End(Scene scene, Driven server, Driven client)
    {
        client.Must("ping 1 1 200 2000 timeout=600000");
        scene.CheckTable(live: 2);
        client.Must("write 1 1 8 65535 timeout=600000");
        Assert.Equal(IpcStatus.Ok, server.Result().Status);
        client.Must("close 1");
        server.Must("close 1");
        scene.CheckNothingLeft();
    }
}
