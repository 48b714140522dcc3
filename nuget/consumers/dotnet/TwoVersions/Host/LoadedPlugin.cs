using System;
using System.Reflection;
using System.Runtime.Loader;
using System.Threading.Tasks;

/// <summary>One copy of the plug-in in a load context of its own, with the packages beside it.</summary>
internal sealed class LoadedPlugin
{
    private readonly Func<string, IDisposable> _serve;
    private readonly Func<string, Task> _ask;

    public LoadedPlugin(string path)
    {
        var resolver = new AssemblyDependencyResolver(path);
        var context = new AssemblyLoadContext(path);
        context.Resolving += (_, name) => resolver.ResolveAssemblyToPath(name) is { } file ? context.LoadFromAssemblyPath(file) : null;
        Type type = context.LoadFromAssemblyPath(path).GetType("Quotes.Plugin", throwOnError: true)!;
        Version = type.GetMethod("Version")!.CreateDelegate<Func<Version>>()();
        _serve = type.GetMethod("Serve")!.CreateDelegate<Func<string, IDisposable>>();
        _ask = type.GetMethod("Ask")!.CreateDelegate<Func<string, Task>>();
    }

    public Version Version { get; }

    public IDisposable Serve(string name) => _serve(name);

    public Task Ask(string server) => _ask(server);
}
