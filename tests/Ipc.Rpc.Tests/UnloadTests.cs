using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A program that loads plug-ins gets rid of them with the libraries that they brought: nothing of ours holds a load context.</summary>
[Collection(nameof(Alone))]
public sealed class UnloadTests
{
    [Fact]
    public void ALoadContextWithTheLibrariesInItCanBeUnloaded()
    {
        WeakReference context = LoadCallUnload();
        Eventually.True(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return !context.IsAlive;
            },
            "the load context is gone");
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // no local of this thread may keep it
    private static WeakReference LoadCallUnload()
    {
        var context = new PluginContext();
        Assembly plugin = context.LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, "Ipc.Rpc.Peer.dll"));
        MethodInfo run = plugin.GetType("Ipc.Rpc.Peer.Plugin", throwOnError: true)!.GetMethod("Run")!;
        var running = (Task<int>)run.Invoke(null, [TestServer.NewName()])!;
        Assert.True(running.Wait(Eventually.Watchdog), "the plug-in does not end");
        Assert.Equal(3 + 7 + 5050, running.Result);
        Assert.Equal(["Ipc.Core", "Ipc.Rpc", "Ipc.Rpc.Peer"], context.Assemblies.Select(static a => a.GetName().Name).Order());
        context.Unload();
        return new WeakReference(context);
    }

    private sealed class PluginContext : AssemblyLoadContext
    {
        public PluginContext()
            : base("plug-in", isCollectible: true)
        {
        }

        protected override Assembly? Load(AssemblyName assemblyName)
            => assemblyName.Name!.StartsWith("Ipc.", StringComparison.Ordinal)
                ? LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, assemblyName.Name + ".dll"))
                : null;
    }
}
