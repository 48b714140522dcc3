using System;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>What is added further to a server or a connection of a host.</summary>
/// <typeparam name="TOptions">Its options.</typeparam>
public abstract class IpcBuilder<TOptions>
    where TOptions : class
{
    /// <summary>For a package that adds servers or connections of another kind.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">What it was added as.</param>
    protected IpcBuilder(IServiceCollection services, string name)
    {
        Services = services ?? throw new ArgumentNullException(nameof(services));
        Name = name ?? throw new ArgumentNullException(nameof(name));
    }

    /// <summary>The host's services.</summary>
    public IServiceCollection Services { get; }

    /// <summary>What it was added as; also the key of its service.</summary>
    public string Name { get; }

    /// <summary>Its options: to bind to configuration, to validate further.</summary>
    public OptionsBuilder<TOptions> Options => new(Services, Name);
}
