using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults of a reader. What it had not released comes again with the flag, and the writer's room comes back.</summary>
internal static class ReaderScenes
{
    private const int Count = 12;

    /// <param name="scene">Who plays.</param>
    /// <param name="next">The record that the successor gets first; null where it depends on when the space is returned.</param>
    public static void Reading(Scene scene, int? next)
    {
        Driven writer = scene.Survivor("writer");
        writer.Must($"open-writer 1 {scene.Name} capacity=16384");
        scene.Victim.Must($"open-reader 1 {scene.Name}");
        writer.Must($"send 1 1 {Count} 1000 timeout=600000"); // all of it fits
        scene.Victim.Begin($"receive 1 1 {Count} 1000 timeout=600000");
        scene.WaitForFault();
        Driven reader = scene.Survivor("reader");
        if (scene.Kills)
        {
            reader.Must($"open-reader 1 {scene.Name}");
            Answer first = reader.Must("read 1 timeout=600000");
            int at = (int)first["type"];
            Assert.Equal(1, first["redelivered"]);
            Assert.True(next == null ? at is > 1 and <= Count : at == next, $"the successor began with record {at}");
            Assert.Equal($"0 redelivered={Count - at}", reader.Do($"receive 1 {at + 1} {Count - at} 1000 timeout=600000").Line);
        }
        else
        {
            Assert.Equal(IpcStatus.InUse, reader.Do($"open-reader 1 {scene.Name}").Status); // stopped is not dead
            scene.Victim.Continue();
            Assert.Equal("0 redelivered=0", scene.Victim.Result().Line);
            reader = scene.Victim;
        }
        RegionScenes.Traffic(writer, reader, Count + 1);
        RegionScenes.End(scene, writer, reader);
    }

    /// <summary>The victim has slept so often that it asks the writer for fences, and has had no membarrier since: nobody takes its word for it.</summary>
    public static void FallingAsleepOften(Scene scene)
    {
        const int asked = 8 + 3, settled = 8 + 7;
        Driven writer = scene.Survivor("writer"), reader = scene.Survivor("reader");
        writer.Must($"open-writer 1 {scene.Name} capacity=16384");
        scene.Victim.Must($"open-reader 1 {scene.Name} wait=block");
        for (int i = 1; i <= 3; i++)
        {
            scene.Victim.Begin("read 1 timeout=600000");
            scene.WaitForSleeper(Wire.Ring.Data);
            scene.Victim.WaitUntilAsleep();
            writer.Must($"send 1 {i} 1 100 timeout=1000");
            Assert.Equal(i, scene.Victim.Result()["type"]);
            scene.Victim.Must("release 1");
        }

        scene.Victim.Begin("read 1 timeout=600000");
        scene.WaitForFault();
        Assert.Equal((uint)asked, scene.FenceRequired(Wire.Ring.Data));
        writer.Must("send 1 4 1 100 timeout=1000");
        if (scene.Kills)
        {
            reader.Must($"open-reader 1 {scene.Name} wait=block");
            Assert.Equal(4, reader.Must("read 1 timeout=600000")["type"]);
            reader.Must("release 1");
            Assert.Equal((uint)asked, scene.FenceRequired(Wire.Ring.Data));
            reader.Begin("read 1 timeout=600000");
            Watchdog.Until(() => scene.FenceRequired(Wire.Ring.Data) == settled, "the successor to settle it by its own membarrier");
            reader.WaitUntilAsleep();
            writer.Must("send 1 5 1 100 timeout=1000");
            Assert.Equal(5, reader.Result()["type"]);
        }
        else
        {
            scene.Victim.Continue();
            Assert.Equal(4, scene.Victim.Result()["type"]); // written between the asking and the sleep
            Assert.Equal((uint)settled, scene.FenceRequired(Wire.Ring.Data));
            reader = scene.Victim;
        }

        reader.Must("release 1");
        RegionScenes.Traffic(writer, reader, 6);
        RegionScenes.End(scene, writer, reader);
    }

    /// <summary>The ring is empty, the victim has said that it sleeps. A record comes: nobody must miss it.</summary>
    public static void FallingAsleep(Scene scene)
    {
        Driven writer = scene.Survivor("writer"), reader = scene.Survivor("reader");
        writer.Must($"open-writer 1 {scene.Name} capacity=16384");
        scene.Victim.Must($"open-reader 1 {scene.Name} wait=block");
        scene.Victim.Begin("read 1 timeout=600000");
        scene.WaitForFault();
        writer.Must("send 1 1 1 100 timeout=1000");
        if (scene.Kills)
        {
            reader.Must($"open-reader 1 {scene.Name}");
            Assert.Equal(1, reader.Must("read 1 timeout=600000")["type"]);
        }
        else
        {
            scene.Victim.Continue();
            Assert.Equal(1, scene.Victim.Result()["type"]); // written between the flag and the sleep
            reader = scene.Victim;
        }
        RegionScenes.Traffic(writer, reader, 2);
        RegionScenes.End(scene, writer, reader);
    }
}
