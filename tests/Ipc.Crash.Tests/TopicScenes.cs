using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults at a topic. Readers get what was committed, in order, and pass what was not; nobody waits for the dead.</summary>
internal static class TopicScenes
{
    private const string Long = "timeout=600000";
    private const int Count = 12, More = 500;

    /// <summary>The victim writes; a reader sleeps, another writer comes behind the victim.</summary>
    public static void Writing(Scene scene, int published, int max = 60)
    {
        Driven reader = scene.Survivor("receiver"), writer = scene.Survivor("sender");
        reader.Must($"open-subscriber 1 {scene.Name} block=64 count=16 budget=262144 wait=block");
        scene.Victim.Must($"open-publisher 1 {scene.Name} open=existing");
        reader.Begin($"collect 1 {max} 1 {Long}");
        reader.WaitUntilAsleep();
        scene.Victim.Begin($"stream 1 1 {Count} {max} {Long}");
        scene.WaitForFault();
        writer.Must($"open-publisher 1 {scene.Name} open=existing");
        writer.Begin($"stream 1 2 {More} {max} {Long}");
        if (!scene.Kills)
        {
            scene.Victim.Continue(); // readers keep the order, so what stands behind an open claim waits for it
            Scene.Good(scene.Victim.Result());
        }
        Scene.Good(writer.Result());
        writer.Must($"write 1 0 0 65535 {Long}");
        Answer received = Scene.Good(reader.Result());
        Assert.Equal((scene.Kills ? published : Count) + More, received["count"]);
        Assert.Equal((0, 0), (received["missing"], received["lost"]));
        scene.End(writer, reader, "idle");
    }

    /// <summary>The victim gives a claim back that a sleeping reader stands before.</summary>
    public static void Abandoning(Scene scene)
    {
        Driven reader = scene.Survivor("receiver"), writer = scene.Survivor("sender");
        reader.Must($"open-subscriber 1 {scene.Name} block=64 count=16 wait=block");
        scene.Victim.Must($"open-publisher 1 {scene.Name} open=existing");
        writer.Must($"open-publisher 1 {scene.Name} open=existing");
        scene.Victim.Must("claim 1 20");
        writer.Must("write 1 1 20 1");
        reader.Begin($"read 1 {Long}");
        reader.WaitUntilAsleep();
        scene.Victim.Begin("abandon 1");
        scene.WaitForFault();
        if (!scene.Kills)
            scene.Victim.Continue(); // stopped before it signals: the reader may sleep until it goes on
        Assert.Equal(1, Scene.Good(reader.Result())["type"]);
        reader.Must("release 1");
        if (!scene.Kills)
            Scene.Good(scene.Victim.Result());
        scene.End(writer, reader, "idle");
    }

    /// <summary>The victim cuts a slow reader off.</summary>
    public static void Evicting(Scene scene)
    {
        Driven reader = scene.Survivor("receiver"), writer = scene.Survivor("sender");
        reader.Must($"open-subscriber 1 {scene.Name} block=64 count=4 policy=evict");
        scene.Victim.Must($"open-publisher 1 {scene.Name} open=existing");
        writer.Must($"open-publisher 1 {scene.Name} open=existing");
        for (int n = 0; n < 4; n++)
            writer.Must($"write 1 {n} 20 {n} {Long}");
        Assert.Equal(0, reader.Must("read 1")["type"]);
        scene.Victim.Begin("write 1 4 20 4 timeout=20");
        scene.WaitForFault();
        Assert.Equal(IpcStatus.Evicted, reader.Do("release 1").Status);
        reader.Must("rejoin 1 newest");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Scene.Good(scene.Victim.Result());
            Assert.Equal(4, reader.Must($"read 1 {Long}")["type"]);
            reader.Must("release 1");
        }
        writer.Must($"write 1 5 20 5 {Long}");
        Assert.Equal(5, reader.Must($"read 1 {Long}")["type"]);
        reader.Must("release 1");
        scene.End(writer, reader, "idle");
    }

    /// <summary>The victim needs a loan where none is left, and takes that of a message which all reliable readers have passed.</summary>
    public static void Reclaiming(Scene scene)
    {
        Driven reader = scene.Survivor("receiver"), writer = scene.Survivor("sender");
        reader.Must($"open-subscriber 1 {scene.Name} block=64 count=16 budget=16384");
        scene.Victim.Must($"open-publisher 1 {scene.Name} open=existing");
        writer.Must($"open-publisher 1 {scene.Name} open=existing");
        for (int n = 0; n < 4; n++)
        {
            writer.Must($"write 1 {n} 4000 {n} {Long}");
            Assert.Equal(n, reader.Must($"read 1 {Long}")["type"]);
            reader.Must("release 1");
        }
        scene.Victim.Begin($"write 1 4 4000 4 {Long}");
        scene.WaitForFault();
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Scene.Good(scene.Victim.Result());
            Assert.Equal(4, reader.Must($"read 1 {Long}")["type"]);
            reader.Must("release 1");
        }
        for (int n = 5; n < 30; n++) // the budget is whole
        {
            writer.Must($"write 1 {n} 4000 {n} {Long}");
            Assert.Equal(n, reader.Must($"read 1 {Long}")["type"]);
            reader.Must("release 1");
        }
        scene.End(writer, reader, "idle");
    }

    /// <summary>The victim joins while a writer is at work.</summary>
    public static void Joining(Scene scene)
    {
        Driven reader = scene.Survivor("receiver"), writer = scene.Survivor("sender");
        reader.Must($"open-subscriber 1 {scene.Name} block=64 count=16");
        writer.Must($"open-publisher 1 {scene.Name} open=existing");
        for (int n = 0; n < 20; n++)
        {
            writer.Must($"write 1 {n} 20 {n} {Long}");
            Assert.Equal(n, reader.Must($"read 1 {Long}")["type"]);
            reader.Must("release 1");
        }
        scene.Victim.Begin($"open-subscriber 1 {scene.Name} open=existing");
        scene.WaitForFault();
        reader.Begin($"collect 1 60 1 {Long}");
        writer.Begin($"stream 1 2 {More} 60 {Long}").Begin($"write 1 0 0 65535 {Long}");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Scene.Good(scene.Victim.Result());
            scene.Victim.Begin($"collect 1 60 1 {Long}"); // from wherever it came in, without a gap
            Scene.Good(scene.Victim.Result());
        }
        Scene.Good(writer.Result());
        Scene.Good(writer.Result());
        Assert.Equal(More, Scene.Good(reader.Result())["count"]);
        scene.End(writer, reader, "idle");
    }

    /// <summary>The victim reads; the writer is a lap ahead of it before long.</summary>
    public static void Reading(Scene scene)
    {
        Driven reader = scene.Survivor("receiver"), writer = scene.Survivor("sender");
        reader.Must($"open-subscriber 1 {scene.Name} block=64 count=16 budget=262144 wait=block");
        scene.Victim.Must($"open-subscriber 1 {scene.Name} open=existing");
        writer.Must($"open-publisher 1 {scene.Name} open=existing wait=block");
        reader.Begin($"collect 1 5000 1 {Long}");
        writer.Begin($"stream 1 1 {More} 5000 {Long}").Begin($"write 1 0 0 65535 {Long}");
        scene.Victim.Begin($"collect 1 5000 1 {Long}");
        scene.WaitForFault();
        if (!scene.Kills)
        {
            scene.Victim.Continue(); // it is reliable: the writer has waited for it
            Assert.Equal(More, Scene.Good(scene.Victim.Result())["count"]);
        }
        Scene.Good(writer.Result());
        Scene.Good(writer.Result());
        Assert.Equal(More, Scene.Good(reader.Result())["count"]);
        scene.End(writer, reader, "idle");
    }

    /// <summary>The victim joins a topic that only the dead are left at, and dies while it cleans up after them.</summary>
    public static void Recovering(Scene scene)
    {
        Driven dead = scene.Survivor("dead");
        dead.Must($"open-publisher 1 {scene.Name} block=64 count=16 budget=262144 lifetime=persistent");
        dead.Must($"open-subscriber 2 {scene.Name} open=existing");
        dead.Must($"open-publisher 3 {scene.Name} open=existing");
        for (int n = 1; n <= 3; n++)
            dead.Must($"write 1 {n} {(n == 2 ? 5000 : 20)} {n}");
        Assert.Equal(1, dead.Must("read 2")["type"]);
        dead.Must("claim 1 9000");
        dead.Must("claim 3 20");
        dead.Kill();
        scene.Victim.Begin($"open-subscriber 1 {scene.Name} open=existing");
        scene.WaitForFault();
        Driven reader = scene.Survivor("receiver"), writer = scene.Survivor("sender");
        if (scene.Kills)
        {
            reader.Must($"open-subscriber 1 {scene.Name} open=existing join=oldest");
        }
        else
        {
            reader.Begin($"open-subscriber 1 {scene.Name} open=existing join=oldest"); // the victim holds the region lock
            scene.Victim.Continue();
            Scene.Good(scene.Victim.Result());
            Scene.Good(reader.Result());
            scene.Victim.Must("close 1");
        }
        writer.Must($"open-publisher 1 {scene.Name} open=existing");
        for (int n = 1; n <= 3; n++)
            Assert.Equal(n, reader.Must("read 1")["type"]);
        Assert.Equal(IpcStatus.Empty, reader.Do("read 1").Status); // over the dead one's claims
        reader.Must("release 1");
        for (int n = 4; n < 40; n++)
        {
            writer.Must($"write 1 {n} {(n % 4 == 0 ? 9000 : 20)} {n} {Long}");
            Assert.Equal(n, reader.Must($"read 1 {Long}")["type"]);
            reader.Must("release 1");
        }
        scene.CheckTable(live: 2);
        scene.CheckAsNew("idle");
        writer.Must("close 1");
        reader.Must("close 1");
        reader.Must($"clear {scene.Name}");
        scene.CheckNothingLeft();
    }
}
