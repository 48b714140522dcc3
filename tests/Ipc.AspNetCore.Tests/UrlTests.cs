using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Ipc.AspNetCore.Tests;

/// <summary>Names where ASP.NET Core has URLs.</summary>
public sealed class UrlTests : ServerTest
{
    public enum Way
    {
        UseUrls,
        CommandLine,
        OfTheApplication,
    }

    [Theory]
    [InlineData(Way.UseUrls)]
    [InlineData(Way.CommandLine)]
    [InlineData(Way.OfTheApplication)]
    public async Task ANameStandsAmongUrls(Way way)
    {
        string path = Path.Combine(Path.GetTempPath(), $"ipc-{Guid.NewGuid():N}.sock");
        string urls = $"http://127.0.0.1:0;ipc:web;http://unix:{path}";
        await using WebApplication server = Build(way == Way.CommandLine ? ["--urls", urls] : [], host =>
        {
            host.UseIpcTransport();
            if (way == Way.UseUrls)
                host.UseUrls(urls);
        });
        if (way == Way.OfTheApplication)
            Array.ForEach(urls.Split(';'), server.Urls.Add);
        await server.StartAsync(Hang);

        Assert.Equal("HTTP/1.1", await Http(HttpVersion.Version11).GetStringAsync("/", Hang));
        Assert.Equal("HTTP/2", await Http(HttpVersion.Version20).GetStringAsync("/", Hang));
        string socket = Assert.Single(server.Urls, static url => url.StartsWith("http://127.0.0.1:", StringComparison.Ordinal));
        using HttpClient other = new();
        Assert.Equal("HTTP/1.1", await other.GetStringAsync(new Uri(socket), Hang));
        using HttpClient local = new(new SocketsHttpHandler
        {
            ConnectCallback = async (_, cancel) =>
            {
                Socket one = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await one.ConnectAsync(new UnixDomainSocketEndPoint(path), cancel);
                return new NetworkStream(one, ownsSocket: true);
            },
        });
        Assert.Equal("HTTP/1.1", await local.GetStringAsync(new Uri("http://localhost/"), Hang));
        await server.StopAsync(Hang);
    }

    [Theory]
    [InlineData("http://127.0.0.1:0")]
    [InlineData("http://*:0")]
    [InlineData("https://127.0.0.1:0")]
    public async Task OtherUrlsMeanWhatTheyAlwaysMeanBesideEndPointsToo(string url)
    {
        using RSA key = RSA.Create();
        using X509Certificate2 certificate = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            .CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        await using WebApplication server = Build(["--urls", "ipc:web;" + url], host => host
            .UseIpcTransport()
            .UseKestrelHttpsConfiguration()
            .ConfigureKestrel(kestrel =>
            {
                kestrel.ConfigureHttpsDefaults(https => https.ServerCertificate = certificate);
                kestrel.ListenIpc("other");
            }));
        await server.StartAsync(Hang);
        Assert.Equal("HTTP/1.1", await Http().GetStringAsync("/", Hang));
        using HttpClient other = new(IpcHttp.CreateHandler("other"));
        Assert.Equal("HTTP/1.1", await other.GetStringAsync(new Uri("http://localhost/"), Hang));
        string bound = Assert.Single(server.Urls, static one => !one.Contains("ipc:", StringComparison.Ordinal));
        UriBuilder address = new(bound) { Host = "127.0.0.1" }; // where it is all of them
        Assert.Equal(new Uri(url.Replace('*', 'x')).Scheme, address.Scheme);
        using HttpClient usual = new(new SocketsHttpHandler { SslOptions = { RemoteCertificateValidationCallback = (_, theirs, _, _) => theirs?.GetCertHashString() == certificate.Thumbprint } });
        Assert.Equal("HTTP/1.1", await usual.GetStringAsync(address.Uri, Hang));
        await server.StopAsync(Hang);
    }

    [Theory]
    [InlineData("ipc:", typeof(ArgumentException), "name")]
    [InlineData("ipc://web", typeof(IpcException), "//web")]
    [InlineData("ipc:web;ftp://web", typeof(InvalidOperationException), "begins neither with")]
    [InlineData("ipc:web;http://127.0.0.1:0/shop", typeof(InvalidOperationException), "UsePathBase")]
    [InlineData("ipc:web;nonsense", typeof(FormatException), "nonsense")]
    public async Task AUrlThatIsNoneIsRefused(string urls, Type error, string words)
    {
        await using WebApplication server = Build(["--urls", urls], static host => host.UseIpcTransport());
        Exception thrown = await Assert.ThrowsAnyAsync<Exception>(() => server.StartAsync(Hang));
        Assert.IsType(error, thrown, exactMatch: false);
        Assert.Contains(words, thrown.Message, StringComparison.Ordinal);
    }

    /// <summary>What the guide says that Kestrel does not do.</summary>
    [Fact]
    public async Task TheServersOwnConfigurationKnowsNoNames()
    {
        await using WebApplication configured = Build(
            ["--Kestrel:Endpoints:Shop:Url=ipc:web"], static host => host.UseIpcTransport().UseKestrel(static (context, kestrel) => kestrel.Configure(context.Configuration.GetSection("Kestrel"))));
        FormatException error = await Assert.ThrowsAsync<FormatException>(() => configured.StartAsync(Hang));
        Assert.Contains("Invalid url: 'ipc:web'", error.Message, StringComparison.Ordinal);
        await using WebApplication bare = Build(["--urls", "ipc:web"], static _ => { });
        await Assert.ThrowsAsync<FormatException>(() => bare.StartAsync(Hang));
    }

    /// <summary>As beside any end point of the options.</summary>
    [Fact]
    public async Task BesideUseIpcUrlsAreNotBound()
    {
        await using WebApplication server = Build(["--urls", "http://127.0.0.1:0"], static host => host.UseIpc("web"));
        await server.StartAsync(Hang);
        Assert.Equal("HTTP/1.1", await Http().GetStringAsync("/", Hang));
        Assert.All(server.Urls, static url => Assert.Contains("ipc:web", url, StringComparison.Ordinal));
        await server.StopAsync(Hang);
    }

    private static WebApplication Build(string[] words, Action<IWebHostBuilder> configure)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(words);
        builder.Logging.ClearProviders();
        configure(builder.WebHost);
        WebApplication server = builder.Build();
        server.MapGet("/", static (HttpContext context) => context.Request.Protocol);
        return server;
    }
}
