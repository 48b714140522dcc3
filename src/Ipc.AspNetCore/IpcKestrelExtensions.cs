using System;
using Ipc.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Ipc.AspNetCore;

/// <summary>Servers of ASP.NET Core over shared memory.</summary>
public static class IpcKestrelExtensions
{
    /// <summary>Kestrel also listens at <paramref name="name"/> in shared memory, for HTTP/1.1 and HTTP/2 (and so gRPC)
    /// at once. Other end points stay; URLs do not, as beside any end point (<see cref="UseIpcTransport"/> has names
    /// among them).</summary>
    /// <param name="builder">The server's; it is to use Kestrel, as it does when nothing else is said.</param>
    /// <param name="name">Clients connect by <see cref="IpcHttp.CreateHandler"/>.</param>
    /// <param name="configure">Of the listener. Reads are copies unless it says otherwise
    /// (<see cref="IpcPipeListenerOptions.CopyReads"/>): the server's parsers look at bytes more than once.</param>
    public static IWebHostBuilder UseIpc(
        this IWebHostBuilder builder, string name, Action<IpcPipeListenerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder
            .UseIpcTransport()
            .ConfigureServices(services => services.Configure<KestrelServerOptions>(
                kestrel => kestrel.ListenIpc(name, configure)));
    }

    /// <summary>Kestrel can listen at names; which ones is said elsewhere: by <see cref="ListenIpc"/>, by
    /// <c>kestrel.Listen(new IpcEndPoint(name), listen => ...)</c>, or as <c>ipc:name</c> among the server's URLs
    /// (<c>UseUrls</c>, <c>--urls</c>, <c>ASPNETCORE_URLS</c>, <c>app.Urls</c>), others of which may stand beside
    /// it.</summary>
    /// <param name="builder">The server's.</param>
    public static IWebHostBuilder UseIpcTransport(this IWebHostBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(static services =>
        {
            services.TryAddEnumerable(
                ServiceDescriptor.Singleton<IConnectionListenerFactory, IpcTransportFactory>());
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IStartupFilter, UrlEndPoints>());
        });
    }

    /// <summary>Kestrel also listens at <paramref name="name"/>, for HTTP/1.1 and HTTP/2 at once. Needs
    /// <see cref="UseIpcTransport"/>.</summary>
    /// <param name="kestrel">The server's options.</param>
    /// <param name="name">Of the listener.</param>
    /// <param name="configure">Of the listener.</param>
    public static void ListenIpc(
        this KestrelServerOptions kestrel, string name, Action<IpcPipeListenerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(kestrel);
        IpcPipeListenerOptions options = new() { CopyReads = true };
        configure?.Invoke(options);
        kestrel.Listen(
            new IpcEndPoint(name, options, HttpVersions.One), static listen => listen.Protocols = HttpProtocols.Http1);
        kestrel.Listen(
            new IpcEndPoint(name, options, HttpVersions.Two), static listen => listen.Protocols = HttpProtocols.Http2);
    }
}
