using Ipc.Testing.Drive;
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
