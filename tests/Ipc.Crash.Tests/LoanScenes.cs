using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Faults at a ring that carries loans. In queue and topic the same faults are played by their own scenes.</summary>
internal static class LoanScenes
{
    private const string Long = "timeout=600000";
    private const int Count = 6, Max = 20_000; // up to 8184 stand in a ring of 16384 bytes, and so many of them fit

    /// <summary>The victim writes records in loans; the reader sleeps.</summary>
    public static void Writing(Scene scene)
    {
        Driven reader = scene.Survivor("reader");
        reader.Must($"open-reader 1 {scene.Name} capacity=16384 budget=262144 wait=block");
        scene.Victim.Must($"open-writer 1 {scene.Name}");
        reader.Begin($"receive 1 1 {Count} {Max} timeout=600000");
        reader.WaitUntilAsleep();
        scene.Victim.Begin($"send 1 1 {Count} {Max} {Long}");
        scene.WaitForFault();
        Driven writer = scene.Survivor("writer");
        int next = Count + 1;
        if (scene.Kills)
        {
            Answer received = reader.Result();
            Assert.Equal(IpcStatus.PeerDied, received.Status);
            next = (int)received["at"];
            writer.Must($"open-writer 1 {scene.Name}");
        }
        else
        {
            Assert.False(reader.HasAnswered);
            scene.Victim.Continue();
            Assert.Equal("0", scene.Victim.Result().Line);
            Assert.Equal("0 redelivered=0", reader.Result().Line);
            writer = scene.Victim;
        }
        End(scene, writer, reader, next);
    }

    /// <summary>The victim reads records in loans. What it had not released comes again; the blocks of what it had are free.</summary>
    public static void Reading(Scene scene)
    {
        Driven writer = scene.Survivor("writer");
        writer.Must($"open-writer 1 {scene.Name} capacity=16384 budget=262144");
        scene.Victim.Must($"open-reader 1 {scene.Name}");
        writer.Must($"send 1 1 {Count} {Max} timeout=10000");
        scene.Victim.Begin($"receive 1 1 {Count} {Max} {Long}");
        scene.WaitForFault();
        Driven reader = scene.Survivor("reader");
        if (scene.Kills)
        {
            reader.Must($"open-reader 1 {scene.Name}");
            Answer first = reader.Must($"read 1 {Long}");
            int at = (int)first["type"];
            Assert.InRange(at, 1, Count);
            Assert.Equal(1, first["redelivered"]);
            Assert.Equal($"0 redelivered={Count - at}", reader.Do($"receive 1 {at + 1} {Count - at} {Max} {Long}").Line);
        }
        else
        {
            scene.Victim.Continue();
            Assert.Equal("0 redelivered=0", scene.Victim.Result().Line);
            reader = scene.Victim;
        }
        End(scene, writer, reader, Count + 1);
    }

    private static void End(Scene scene, Driven writer, Driven reader, int next)
    {
        reader.Begin($"receive 1 {next} 500 {Max} {Long}");
        writer.Must($"send 1 {next} 500 {Max} {Long}");
        Assert.Equal("0 redelivered=0", reader.Result().Line);
        writer.Must($"write 1 1 262144 1 {Long}"); // as much as a loan may be: every block is back
        Assert.Equal(1, reader.Must($"read 1 {Long}")["type"]);
        reader.Must("release 1");
        scene.CheckTable(live: 2);
        scene.CheckAsNew("empty");
        writer.Must("close 1");
        reader.Must("close 1");
        scene.CheckNothingLeft();
    }
}
