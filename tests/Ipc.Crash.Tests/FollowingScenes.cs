using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>A server takes the name of a live one.</summary>
internal static class FollowingScenes
{
    /// <summary>The victim takes the name. The old one goes on with its client; killed before it has the name, it has not been; and whoever comes next can have it.</summary>
    public static void TakingTheName(Scene scene, bool hasIt)
    {
        Driven old = scene.Survivor("old"), next = scene.Survivor("next"), stays = scene.Survivor("stays"), comes = scene.Survivor("comes");
        old.Must($"listen 1 {scene.Name} max=63 follow=1");
        old.Begin("serve 1 timeout=600000");
        stays.Must($"connect 1 {scene.Name} timeout=600000");
        scene.Victim.Begin($"listen 1 {scene.Name} max=63 follow=1");
        scene.WaitForFault();
        stays.Must("ping 1 1 50 1000 timeout=600000");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            Assert.Equal(IpcStatus.Ok, scene.Victim.Result().Status);
            scene.Victim.Begin("serve 1 timeout=600000");
        }
        else if (!hasIt)
        {
            comes.Must($"connect 1 {scene.Name} timeout=600000"); // the old one answers: the name is its own still
            comes.Must("ping 1 1 50 1000 timeout=600000");
            comes.Must("close 1");
        }

        next.Must($"listen 1 {scene.Name} max=63 follow=1");
        next.Begin("serve 1 timeout=600000");
        comes.Must($"connect 1 {scene.Name}");
        comes.Must("ping 1 1 50 1000 timeout=600000");
        stays.Must("ping 1 1 50 1000 timeout=600000");
        EndOf(old, stays);
        if (!scene.Kills)
        {
            scene.Victim.Kill();
        }

        scene.CheckTable(live: 2);
        EndOf(next, comes);
        scene.CheckNothingLeft();
    }

    /// <summary>The victim is the old one, and looks whose the name is.</summary>
    public static void LosingTheName(Scene scene)
    {
        Driven next = scene.Survivor("next"), client = scene.Survivor("client");
        scene.Victim.Must($"listen 1 {scene.Name} max=63 follow=1");
        scene.Victim.Begin("serve 1 timeout=600000");
        next.Must($"listen 1 {scene.Name} max=63 follow=1");
        next.Begin("serve 1 timeout=600000");
        scene.WaitForFault();
        client.Must($"connect 1 {scene.Name}");
        client.Must("ping 1 1 50 1000 timeout=600000");
        if (!scene.Kills)
        {
            scene.Victim.Continue();
            scene.Victim.Kill();
        }

        scene.CheckTable(live: 2);
        EndOf(next, client);
        scene.CheckNothingLeft();
    }

    private static void EndOf(Driven server, Driven client)
    {
        client.Must("write 1 1 8 65535 timeout=600000");
        Assert.Equal(IpcStatus.Ok, server.Result().Status);
        client.Must("close 1");
        server.Must("close 1");
    }
}
