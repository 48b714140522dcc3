using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults of a writer. What it published arrives, what it did not leaves no trace, its successor goes on from there.</summary>
internal static class WriterScenes
{
    public static void Writing(Scene scene, int published) => Play(scene, published, batch: 1);

    public static void WritingBatches(Scene scene, int published) => Play(scene, published, batch: 4);

    /// <summary>The reader sleeps; the victim has published and changed the word, and never gets to wake it.</summary>
    public static void Waking(Scene scene) => Play(scene, published: null, batch: 1);

    private static void Play(Scene scene, int? published, int batch)
    {
        const int Count = 12, Max = 950; // what the victim leaves half-made covers several lines
        Driven reader = scene.Survivor("reader");
        reader.Must($"open-reader 1 {scene.Name} capacity=16384 wait=block");
        scene.Victim.Must($"open-writer 1 {scene.Name}");
        reader.Begin($"receive 1 1 {Count} {Max} timeout=600000");
        scene.WaitForSleeper(Wire.Ring.Data);
        reader.WaitUntilAsleep();
        scene.Victim.Begin($"send 1 1 {Count} {Max} batch={batch} timeout=600000");
        scene.WaitForFault();
        Driven writer = scene.Survivor("writer");
        int next = Count + 1;
        if (scene.Kills)
        {
            Answer received = reader.Result(); // all that was published, and then the news
            Assert.Equal(IpcStatus.PeerDied, received.Status);
            next = (int)received["at"];
            if (published != null)
                Assert.Equal(published + 1, next);
            else
                Assert.True(next >= 2, "the record of the missing wake was lost");
            writer.Must($"open-writer 1 {scene.Name}");
            // A record shorter than what lies there half-made: behind it must be nothing.
            writer.Must($"send 1 {next} 1 60 timeout=1000");
            Assert.Equal("0 redelivered=0", reader.Do($"receive 1 {next} 1 60 timeout=600000").Line);
            Assert.Equal(IpcStatus.Empty, reader.Do("read 1").Status);
            next++;
        }
        else
        {
            Assert.Equal(IpcStatus.InUse, writer.Do($"open-writer 1 {scene.Name}").Status); // stopped is not dead
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            Assert.Equal("0 redelivered=0", reader.Result().Line);
            writer = scene.Victim;
        }
        RegionScenes.Traffic(writer, reader, next);
        RegionScenes.End(scene, writer, reader);
    }
}
