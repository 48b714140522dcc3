using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Options;

namespace Ipc.AspNetCore;

/// <summary>Names among the server's URLs: <c>ipc:name</c>.</summary>
/// <remarks>Kestrel knows no URLs but its own, and nothing can be added to them; and where it has end points it binds
/// no URLs. So when one of them is a name, all of them become end points, as it would make them itself, before it
/// starts: filters of the application run when the URLs are known and nothing is bound.</remarks>
internal sealed class UrlEndPoints : IStartupFilter
{
    private const string Scheme = "ipc:";

    private readonly KestrelServerOptions _kestrel;

    public UrlEndPoints(IOptions<KestrelServerOptions> kestrel) => _kestrel = kestrel.Value;

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        ICollection<string>? urls = app.ServerFeatures.Get<IServerAddressesFeature>()?.Addresses;
        if (urls is not null && urls.Any(IsName))
        {
            foreach (string url in urls)
                Listen(url);
            urls.Clear();
        }

        next(app);
    };

    private static bool IsName(string url) => url.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase);

    private void Listen(string url)
    {
        if (IsName(url))
        {
            _kestrel.ListenIpc(url[Scheme.Length..]);
            return;
        }

        BindingAddress address = BindingAddress.Parse(url);
        bool isSecure = address.Scheme.Equals("https", StringComparison.OrdinalIgnoreCase);
        if (!isSecure && !address.Scheme.Equals("http", StringComparison.OrdinalIgnoreCase))
            throw new InvalidOperationException(
                $"\"{url}\" begins neither with http:// or https:// nor with {Scheme}.");
        if (address.PathBase.Length != 0)
            throw new InvalidOperationException($"\"{url}\" has a path: UsePathBase is for that.");
        if (address.IsUnixPipe)
            _kestrel.ListenUnixSocket(address.UnixPipePath, Finish);
        else if (address.IsNamedPipe)
            _kestrel.ListenNamedPipe(address.NamedPipeName, Finish);
        else if (address.Host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
            _kestrel.ListenLocalhost(address.Port, Finish);
        else if (IPAddress.TryParse(address.Host, out IPAddress? ip))
            _kestrel.Listen(ip, address.Port, Finish);
        else
            _kestrel.ListenAnyIP(address.Port, Finish); // "*", "+", and any other host

        void Finish(ListenOptions listen)
        {
            if (isSecure)
                listen.UseHttps();
        }
    }
}
