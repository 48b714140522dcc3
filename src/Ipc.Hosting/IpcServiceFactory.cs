using System;
using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>One of the services of a server, before the host has what it is made of. Registered under the server's name.</summary>
internal sealed class IpcServiceFactory
{
    private readonly Func<IServiceProvider, RpcService> _make;

    public IpcServiceFactory(Func<IServiceProvider, RpcService> make) => _make = make;

    public RpcService Make(IServiceProvider provider) => _make(provider);
}
