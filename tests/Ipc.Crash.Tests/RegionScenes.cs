using System;
using System.IO;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults while a region is made, joined, left and cleaned up. The victim is a writer; the survivors make traffic.</summary>
internal static class RegionScenes
{
    /// <summary>The victim makes the region. Nothing, or a region with a dead participant, is there: the next one starts anew.</summary>
    public static void Creating(Scene scene)
    {
        Driven reader = scene.Survivor("reader"), writer = scene.Survivor("writer");
        scene.Victim.Begin($"open-writer 1 {scene.Name}");
        scene.WaitForFault();
        if (scene.Kills)
        {
            Assert.Equal(IpcStatus.NotFound, reader.Do($"open-reader 1 {scene.Name} open=existing").Status);
            reader.Must($"open-reader 1 {scene.Name}");
            writer.Must($"open-writer 1 {scene.Name} open=existing");
        }
        else
        {
            reader.Must($"open-reader 1 {scene.Name}"); // makes its own, or joins the victim's, which is alive
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            writer = scene.Victim;
        }
        Traffic(writer, reader, 1);
        End(scene, writer, reader);
    }

    /// <summary>The victim joins as the writer of a ring that has a reader.</summary>
    public static void Attaching(Scene scene)
    {
        Driven reader = scene.Survivor("reader"), writer = scene.Survivor("writer");
        reader.Must($"open-reader 1 {scene.Name}");
        scene.Victim.Begin($"open-writer 1 {scene.Name}");
        scene.WaitForFault();
        if (scene.Kills)
        {
            writer.Must($"open-writer 1 {scene.Name}");
        }
        else
        {
            writer.Begin($"open-writer 1 {scene.Name}"); // the victim holds the region lock
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            Assert.Equal(IpcStatus.InUse, writer.Result().Status);
            writer = scene.Victim;
        }
        Traffic(writer, reader, 1);
        End(scene, writer, reader);
    }

    /// <summary>The victim leaves; a reader stays.</summary>
    public static void Leaving(Scene scene)
    {
        Driven reader = scene.Survivor("reader"), writer = scene.Survivor("writer");
        reader.Must($"open-reader 1 {scene.Name}");
        scene.Victim.Must($"open-writer 1 {scene.Name}");
        scene.Victim.Must("send 1 1 5 100 timeout=600000");
        scene.Victim.Begin("close 1");
        scene.WaitForFault();
        if (scene.Kills)
        {
            writer.Must($"open-writer 1 {scene.Name}");
        }
        else
        {
            writer.Begin($"open-writer 1 {scene.Name}");
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            Assert.Equal(IpcStatus.Ok, writer.Result().Status);
        }
        Assert.Equal("0 redelivered=0", reader.Do("receive 1 1 5 100 timeout=600000").Line);
        Traffic(writer, reader, 6);
        End(scene, writer, reader);
    }

    /// <summary>The victim is the last to leave: a retired region keeps its name. The next opener takes it away.</summary>
    public static void LeavingLast(Scene scene)
    {
        Driven reader = scene.Survivor("reader"), writer = scene.Survivor("writer");
        LeavingLast(scene, scene.Name, writer, reader);
        End(scene, writer, reader);
    }

    /// <summary>The same in the machine directory: the name has gone, and the region is not retired yet, which nobody can open any more.</summary>
    public static void LeavingLastOfTheMachine(Scene scene)
    {
        Driven reader = scene.Survivor("reader"), writer = scene.Survivor("writer");
        LeavingLast(scene, "machine/" + scene.Name, writer, reader);
        writer.Must("close 1");
        reader.Must("close 1");
        string directory = Path.Combine(Path.GetDirectoryName(scene.File)!, "machine");
        Assert.DoesNotContain(Directory.EnumerateFiles(directory), file => Path.GetFileName(file).StartsWith(scene.Name, StringComparison.Ordinal));
    }

    private static void LeavingLast(Scene scene, string name, Driven writer, Driven reader)
    {
        scene.Victim.Must($"open-writer 1 {name}"); // and writes nothing: what is not empty is not retired
        scene.Victim.Begin("close 1");
        scene.WaitForFault();
        if (scene.Kills)
        {
            Assert.Equal(IpcStatus.NotFound, reader.Do($"open-reader 1 {name} open=existing").Status);
            reader.Must($"open-reader 1 {name}");
        }
        else
        {
            reader.Begin($"open-reader 1 {name}");
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            Assert.Equal(IpcStatus.Ok, reader.Result().Status);
        }
        Assert.Equal(IpcStatus.Empty, reader.Do("read 1").Status); // a new region, not the old one
        writer.Must($"open-writer 1 {name}");
        Traffic(writer, reader, 1);
    }

    /// <summary>The victim finds a dead writer, and dies while it cleans up after it.</summary>
    public static void Recovering(Scene scene)
    {
        Driven reader = scene.Survivor("reader"), writer = scene.Survivor("writer");
        writer.Must($"open-writer 1 {scene.Name} lifetime=persistent");
        writer.Must("send 1 1 5 100 timeout=600000");
        writer.Kill();
        scene.Victim.Begin($"open-writer 1 {scene.Name} open=existing");
        scene.WaitForFault();
        writer = scene.Survivor("writer"); // another process
        if (scene.Kills)
        {
            writer.Must($"open-writer 1 {scene.Name} open=existing");
        }
        else
        {
            writer.Begin($"open-writer 1 {scene.Name} open=existing");
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            Assert.Equal(IpcStatus.InUse, writer.Result().Status);
            writer = scene.Victim;
        }
        reader.Must($"open-reader 1 {scene.Name} open=existing");
        Assert.Equal(IpcStatus.Ok, reader.Do("receive 1 1 5 100 timeout=600000").Status);
        Traffic(writer, reader, 6);
        scene.CheckTable(live: 2);
        writer.Must("close 1");
        reader.Must("close 1");
        scene.CheckTable(live: 0);
        System.IO.File.Delete(scene.File);
        scene.CheckNothingLeft();
    }

    /// <summary>Several laps of numbered records: the ring is as good as new.</summary>
    public static void Traffic(Driven writer, Driven reader, int first)
    {
        reader.Begin($"receive 1 {first} 3000 3000 release=3 timeout=600000");
        writer.Must($"send 1 {first} 3000 3000 batch=2 timeout=600000");
        Assert.Equal("0 redelivered=0", reader.Result().Line);
    }

    public static void End(Scene scene, Driven writer, Driven reader)
    {
        scene.CheckTable(live: 2);
        writer.Must("close 1");
        reader.Must("close 1");
        scene.CheckNothingLeft();
    }
}
