using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults at a queue. The others go on; what was committed arrives once; what a dead receiver held comes again, flagged.</summary>
internal static class QueueScenes
{
    private const string Long = "timeout=600000";
    private const int Count = 12, More = 500;

    /// <summary>The victim sends; a receiver sleeps on the empty queue, and another sender comes.</summary>
    /// <param name="scene">Who plays.</param>
    /// <param name="published">How many of its messages are there when it dies.</param>
    /// <param name="max">The longest message; a block has 64 bytes.</param>
    public static void Sending(Scene scene, int published, int max = 60)
    {
        Driven receiver = scene.Survivor("receiver"), sender = scene.Survivor("sender");
        receiver.Must($"open-queue 1 {scene.Name} block=64 count=16 budget=262144 wait=block");
        scene.Victim.Must($"open-queue 1 {scene.Name} open=existing");
        receiver.Begin($"collect 1 {max} {Long}");
        receiver.WaitUntilAsleep();
        sender.Must($"open-queue 1 {scene.Name} open=existing");
        scene.Victim.Begin($"stream 1 1 {Count} {max} {Long}");
        scene.WaitForFault();
        sender.Begin($"stream 1 2 {Count} {max} {Long}"); // past the victim, who may stand in the way of the next lap
        if (scene.Kills || !scene.HoldsTheRegionLock)
            Scene.Good(sender.Result());
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Scene.Good(scene.Victim.Result());
            if (scene.HoldsTheRegionLock)
                Scene.Good(sender.Result());
        }
        sender.Must($"stream 1 3 {More} {max} {Long}"); // many laps past what the victim has left
        sender.Must($"write 1 0 0 65535 {Long}");
        Answer received = Scene.Good(receiver.Result());
        Assert.Equal(((scene.Kills ? published : Count) + Count + More, 0), (received["count"], received["redelivered"]));
        scene.End(sender, receiver, "empty");
    }

    /// <summary>The victim gives a claim back; what it does after that is only to tell the others.</summary>
    public static void Abandoning(Scene scene)
    {
        Driven receiver = scene.Survivor("receiver"), sender = scene.Survivor("sender");
        receiver.Must($"open-queue 1 {scene.Name} block=64 count=4 wait=block");
        scene.Victim.Must($"open-queue 1 {scene.Name} open=existing");
        sender.Must($"open-queue 1 {scene.Name} open=existing");
        scene.Victim.Must("write 1 1 20 1");
        scene.Victim.Must("claim 1 20");
        for (int n = 2; n <= 3; n++)
            sender.Must($"write 1 {n} 20 {n}");
        sender.Begin($"write 1 4 20 4 {Long}"); // full
        sender.WaitUntilAsleep();
        scene.Victim.Begin("abandon 1");
        scene.WaitForFault();
        for (int n = 1; n <= 3; n++)
        {
            Assert.Equal(n, receiver.Must($"read 1 {Long}")["type"]);
            receiver.Must("release 1");
        }
        Scene.Good(sender.Result());
        Assert.Equal(4, receiver.Must($"read 1 {Long}")["type"]);
        receiver.Must("release 1");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Scene.Good(scene.Victim.Result());
        }
        scene.End(sender, receiver, "empty");
    }

    /// <summary>The victim receives; a second receiver sleeps behind it.</summary>
    /// <param name="scene">Who plays.</param>
    /// <param name="done">How many messages it has received for good when it dies.</param>
    /// <param name="max">The longest message; a block has 64 bytes.</param>
    public static void Receiving(Scene scene, int done, int max = 60)
    {
        Driven receiver = scene.Survivor("receiver"), sender = scene.Survivor("sender");
        sender.Must($"open-queue 1 {scene.Name} block=64 count=16 budget=262144 wait=block");
        scene.Victim.Must($"open-queue 1 {scene.Name} open=existing");
        receiver.Must($"open-queue 1 {scene.Name} open=existing");
        sender.Must($"stream 1 1 {Count} {max} {Long}");
        scene.Victim.Begin($"collect 1 {max} {Long}");
        scene.WaitForFault();
        receiver.Begin($"collect 1 {max} {Long}");
        int others = scene.Kills ? More : 3; // a stopped one's block stands in the way of the next lap
        sender.Must($"stream 1 2 {others} {max} {Long}");
        sender.Must($"write 1 0 0 65535 {Long}");
        Answer received = Scene.Good(receiver.Result());
        if (scene.Kills)
        {
            // What it held may come after the end mark, when its death was noticed late: then it is still there.
            receiver.Begin($"collect 1 {max} {Long}");
            Watchdog.Until(() => sender.Must("participants 1")["count"] == 2, "the dead receiver to be noticed");
            sender.Must($"write 1 0 0 65535 {Long}");
            Answer rest = Scene.Good(receiver.Result());
            Assert.Equal(Count - done + More, received["count"] + rest["count"]);
            Assert.Equal(done == 2 ? 1 : 0, received["redelivered"] + rest["redelivered"]);
        }
        else
        {
            Assert.Equal(0, received["redelivered"]);
            scene.Victim.Continue();
            sender.Must($"write 1 0 0 65535 {Long}");
            Answer rest = Scene.Good(scene.Victim.Result());
            Assert.Equal((Count + others, 0), (received["count"] + rest["count"], rest["redelivered"]));
        }
        scene.End(sender, receiver, "empty");
    }

    /// <summary>The victim fills a queue that nobody empties, and falls while it makes the next segment.</summary>
    public static void Growing(Scene scene)
    {
        const int Block = 60, Segments = 4, Slots = 4;
        Driven receiver = scene.Survivor("receiver"), sender = scene.Survivor("sender");
        receiver.Must($"open-queue 1 {scene.Name} block=64 count={Slots} expansions={Segments - 1}");
        scene.Victim.Must($"open-queue 1 {scene.Name} open=existing");
        sender.Must($"open-queue 1 {scene.Name} open=existing");
        scene.Victim.Begin($"stream 1 1 {Count} {Block} {Long}");
        scene.WaitForFault(); // it holds the region lock: others do with what is there
        receiver.Begin($"collect 1 {Block} {Long}");
        sender.Must($"stream 1 2 {More} {Block} {Long}");
        sender.Must($"write 1 0 0 65535 {Long}");
        Answer received = Scene.Good(receiver.Result());
        if (scene.Kills)
        {
            Assert.InRange(received["count"], Slots + More, Count + More);
        }
        else
        {
            scene.Victim.Continue();
            receiver.Begin($"collect 1 {Block} {Long}");
            Scene.Good(scene.Victim.Result());
            sender.Must($"write 1 0 0 65535 {Long}");
            Assert.Equal(More + Count, received["count"] + Scene.Good(receiver.Result())["count"]);
            scene.Victim.Must("close 1");
        }
        for (int n = 0; n < Segments * Slots; n++) // no segment is lost
            sender.Must($"write 1 {n} 20 {n} timeout=10000");
        Assert.Equal(IpcStatus.Full, sender.Do("claim 1 20").Status);
        for (int n = 0; n < Segments * Slots; n++)
        {
            Assert.Equal(n, receiver.Must("read 1")["type"]);
            receiver.Must("release 1");
        }
        scene.CheckAsNew("empty");
        sender.Must("close 1");
        receiver.Must("close 1");
        scene.CheckNothingLeft();
    }

    /// <summary>The victim joins a queue that only the dead are left at, and dies while it cleans up after them.</summary>
    public static void Recovering(Scene scene)
    {
        Driven dead = scene.Survivor("dead");
        dead.Must($"open-queue 1 {scene.Name} block=64 count=16 budget=262144 lifetime=persistent");
        for (int n = 1; n <= 4; n++)
            dead.Must($"write 1 {n} {(n == 2 ? 5000 : 20)} {n}");
        for (int n = 1; n <= 3; n++)
            Assert.Equal(n, dead.Must("read 1")["type"]);
        dead.Must("release 1");
        dead.Must("claim 1 9000");
        dead.Kill();
        scene.Victim.Begin($"open-queue 1 {scene.Name} open=existing");
        scene.WaitForFault();
        Driven receiver = scene.Survivor("receiver");
        if (scene.Kills)
        {
            receiver.Must($"open-queue 1 {scene.Name} open=existing");
        }
        else
        {
            receiver.Begin($"open-queue 1 {scene.Name} open=existing"); // the victim holds the region lock
            scene.Victim.Continue();
            Scene.Good(scene.Victim.Result());
            Scene.Good(receiver.Result());
            scene.Victim.Must("close 1");
        }
        foreach ((int n, int again) in new[] { (2, 1), (3, 1), (4, 0) })
        {
            Answer message = receiver.Must("read 1");
            Assert.Equal((n, again), ((int)message["type"], (int)message["redelivered"]));
            receiver.Must("release 1");
        }
        Assert.Equal(IpcStatus.Empty, receiver.Do("read 1").Status);
        Assert.Equal(2, receiver.Must("info 1")["redelivered"]); // each once, however often the repair began
        receiver.Must($"write 1 1 262144 1 {Long}"); // all of the budget is there
        Assert.Equal(1, receiver.Must("read 1")["type"]);
        receiver.Must("release 1");
        scene.CheckAsNew("empty");
        receiver.Must("close 1");
        receiver.Must($"clear {scene.Name}");
        scene.CheckNothingLeft();
    }
}
