using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults at a mutex, a semaphore, an event. Whoever waits goes on, and is told when the holder died holding.</summary>
internal static class SyncScenes
{
    private const string Long = "timeout=600000";

    /// <summary>The victim falls the moment it owns the mutex.</summary>
    public static void Owning(Scene scene) => Mutex(scene, "acquire", IpcStatus.Abandoned);

    /// <summary>Just before it gives it back.</summary>
    public static void StillOwning(Scene scene) => Mutex(scene, "release", IpcStatus.Abandoned);

    /// <summary>It has given the mutex back and told nobody: that is nobody's loss.</summary>
    public static void Disowning(Scene scene) => Mutex(scene, "release", IpcStatus.Ok);

    private static void Mutex(Scene scene, string command, IpcStatus expected)
    {
        Driven waiting = scene.Survivor("receiver"), other = scene.Survivor("sender");
        waiting.Must($"open-mutex 1 {scene.Name} wait=block");
        other.Must($"open-mutex 1 {scene.Name} open=existing");
        scene.Victim.Must($"open-mutex 1 {scene.Name} open=existing");
        Fall(scene, command);
        waiting.Begin($"acquire 1 {Long}");
        if (scene.Kills)
        {
            Assert.Equal(expected, waiting.Result().Status);
        }
        else
        {
            if (expected == IpcStatus.Abandoned)
            {
                waiting.WaitUntilAsleep();
                Assert.False(waiting.HasAnswered); // stopped is not dead
            }
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            if (command == "acquire")
                scene.Victim.Must("release 1");
            Assert.Equal(IpcStatus.Ok, waiting.Result().Status);
        }
        Assert.Equal(IpcStatus.Timeout, other.Do("acquire 1 timeout=20").Status);
        waiting.Must("release 1");
        Assert.Equal(IpcStatus.Ok, other.Do($"acquire 1 {Long}").Status);
        other.Must("release 1");
        End(scene, waiting, other);
    }

    /// <summary>The victim, which has the mutex, gives up leaving: somebody who is stopped has the region lock.</summary>
    public static void LeavingWithoutTheLock(Scene scene)
    {
        Driven waiting = scene.Survivor("receiver"), other = scene.Survivor("sender");
        waiting.Must($"open-mutex 1 {scene.Name} wait=block");
        other.Must($"open-mutex 1 {scene.Name} open=existing");
        scene.Victim.Must($"open-mutex 1 {scene.Name} open=existing");
        scene.Victim.Must("acquire 1");
        waiting.Begin($"acquire 1 {Long}");
        scene.WaitForSleeper(Wire.Sync.Waiter); // who comes when the mutex is abandoned takes it without a sleep, and so without a look for the dead
        waiting.WaitUntilAsleep();
        using (Driven holder = scene.StoppedWithTheLock("open-mutex"))
        {
            scene.Victim.Begin("close 1");
            scene.WaitForFault();
            if (!scene.Kills)
            {
                scene.Victim.Continue();
                Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status); // it has left; its process lives
            }
            holder.Kill();
        }
        Assert.Equal(IpcStatus.Abandoned, waiting.Result().Status);
        waiting.Must("release 1");
        Assert.Equal(IpcStatus.Ok, other.Do($"acquire 1 {Long}").Status);
        other.Must("release 1");
        scene.CheckTable(live: 2);
        waiting.Must("close 1");
        other.Must("close 1");
        scene.CheckNothingLeft();
    }

    /// <summary>The victim falls with a permit in its hands.</summary>
    public static void Holding(Scene scene) => Semaphore(scene, "acquire", IpcStatus.Abandoned);

    /// <summary>It has given the permit back and told nobody.</summary>
    public static void Returning(Scene scene) => Semaphore(scene, "release", IpcStatus.Ok);

    private static void Semaphore(Scene scene, string command, IpcStatus expected)
    {
        Driven waiting = scene.Survivor("receiver"), other = scene.Survivor("sender");
        waiting.Must($"open-semaphore 1 {scene.Name} permits=2 wait=block");
        other.Must($"open-semaphore 1 {scene.Name} open=existing");
        scene.Victim.Must($"open-semaphore 1 {scene.Name} open=existing");
        other.Must("acquire 1");
        Fall(scene, command);
        waiting.Begin($"acquire 1 {Long}");
        if (scene.Kills)
        {
            Assert.Equal(expected, waiting.Result().Status);
        }
        else
        {
            if (expected == IpcStatus.Abandoned)
            {
                waiting.WaitUntilAsleep();
                Assert.False(waiting.HasAnswered);
            }
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            if (command == "acquire")
                scene.Victim.Must("release 1");
            Assert.Equal(IpcStatus.Ok, waiting.Result().Status);
        }
        Assert.Equal(IpcStatus.Timeout, waiting.Do("acquire 1 timeout=20").Status); // two permits, no third
        waiting.Must("release 1");
        other.Must("release 1");
        Assert.Equal(2, other.Must("available 1")["available"]);
        End(scene, waiting, other);
    }

    /// <summary>The victim acquires, and releases when that is where the fault lies.</summary>
    private static void Fall(Scene scene, string command)
    {
        if (command == "release")
            scene.Victim.Must("acquire 1");
        scene.Victim.Begin($"{command} 1");
        scene.WaitForFault();
    }

    /// <summary>The victim sets an event and tells nobody: who sleeps is woken by its death.</summary>
    public static void Setting(Scene scene)
    {
        Driven waiting = scene.Survivor("receiver"), other = scene.Survivor("sender");
        waiting.Must($"open-event 1 {scene.Name} wait=block");
        other.Must($"open-event 1 {scene.Name} open=existing");
        scene.Victim.Must($"open-event 1 {scene.Name} open=existing");
        waiting.Begin($"wait 1 {Long}");
        waiting.WaitUntilAsleep();
        scene.Victim.Begin("set 1");
        scene.WaitForFault();
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
        }
        Assert.Equal(IpcStatus.Ok, waiting.Result().Status);
        Assert.Equal(IpcStatus.Timeout, other.Do("wait 1 timeout=20").Status); // consumed
        End(scene, waiting, other);
    }

    /// <summary>The victim consumes an event and dies of it: the event is as if it had been consumed, and can be set again.</summary>
    public static void Consuming(Scene scene)
    {
        Driven waiting = scene.Survivor("receiver"), other = scene.Survivor("sender");
        waiting.Must($"open-event 1 {scene.Name} set=1 wait=block");
        other.Must($"open-event 1 {scene.Name} open=existing");
        scene.Victim.Must($"open-event 1 {scene.Name} open=existing");
        scene.Victim.Begin($"wait 1 {Long}");
        scene.WaitForFault();
        Assert.Equal(IpcStatus.Timeout, waiting.Do("wait 1 timeout=20").Status);
        waiting.Begin($"wait 1 {Long}");
        waiting.WaitUntilAsleep();
        other.Must("set 1");
        Assert.Equal(IpcStatus.Ok, waiting.Result().Status);
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
        }
        End(scene, waiting, other);
    }

    /// <summary>The victim joins a mutex whose owner is dead, and dies of the repair. The next one is told, once.</summary>
    public static void Recovering(Scene scene) => Recovering(scene, "mutex");

    /// <summary>The same with a permit, between counting and marking it: nobody is told twice of one.</summary>
    public static void RecoveringPermit(Scene scene) => Recovering(scene, "semaphore");

    private static void Recovering(Scene scene, string kind)
    {
        Driven dead = scene.Survivor("dead");
        dead.Must($"open-{kind} 1 {scene.Name} lifetime=persistent");
        dead.Must("acquire 1");
        dead.Kill();
        scene.Victim.Begin($"open-{kind} 1 {scene.Name} open=existing");
        scene.WaitForFault();
        Driven waiting = scene.Survivor("receiver"), other = scene.Survivor("sender");
        if (scene.Kills)
        {
            waiting.Must($"open-{kind} 1 {scene.Name} open=existing");
        }
        else
        {
            waiting.Begin($"open-{kind} 1 {scene.Name} open=existing");
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            Assert.Equal(IpcStatus.Ok, waiting.Result().Status);
            scene.Victim.Must("close 1");
        }
        Assert.Equal(IpcStatus.Abandoned, waiting.Do($"acquire 1 {Long}").Status);
        waiting.Must("release 1");
        other.Must($"open-{kind} 1 {scene.Name} open=existing");
        Assert.Equal(IpcStatus.Ok, other.Do($"acquire 1 {Long}").Status);
        other.Must("release 1");
        scene.CheckAsNew("idle");
        waiting.Must("close 1");
        other.Must("close 1");
        other.Must($"clear {scene.Name}");
        scene.CheckNothingLeft();
    }

    private static void End(Scene scene, Driven waiting, Driven other)
    {
        if (!scene.Kills)
            scene.Victim.Must("close 1");
        scene.CheckTable(live: 2);
        scene.CheckAsNew("idle");
        waiting.Must("close 1");
        other.Must("close 1");
        scene.CheckNothingLeft();
    }
}
