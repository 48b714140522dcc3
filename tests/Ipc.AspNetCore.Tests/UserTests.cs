using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Security.Claims;
using System.Threading.Tasks;
using Ipc.AspNetCore.Peer;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Xunit;

namespace Ipc.AspNetCore.Tests;

/// <summary>The server knows whose program asks, by what the kernel says.</summary>
public sealed class UserTests : ServerTest
{
    private const UnixFileMode Everybodys = (UnixFileMode)0x3FF; // 1777
    private const int Stranger = 64104;                          // who has no account

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task TheUserOfAConnectionIsTheClientsByIdAndName(int version)
    {
        await ServeAsync();
        string answer = await Http(version == 1 ? HttpVersion.Version11 : HttpVersion.Version20).GetStringAsync("/user", Hang);
        Assert.Equal($"{Said("-u")} {Said("-u")} {Said("-un")} True ipc", answer);
    }

    [Fact]
    public async Task ClientsOfOtherUsersAreToldApart()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root to become another user");
        string ground = $"/dev/shm/ipc-users-{Environment.ProcessId}-{Guid.NewGuid():N}"[..40]; // not under IPC_DIR, which only we may enter
        string? before = Environment.GetEnvironmentVariable("IPC_MACHINE_DIR");
        Directory.CreateDirectory(ground);
        File.SetUnixFileMode(ground, Everybodys);
        Environment.SetEnvironmentVariable("IPC_MACHINE_DIR", ground + "/machine");
        try
        {
            WebApplication server = await ServeAsync("web", static host => host.UseIpc("machine/web", static listener => listener.Access = Access.Everybody));
            Assert.Equal($"{Stranger} {Stranger} nameless True ipc", Ask(ground, Stranger));
            Assert.Equal("0 0 root True ipc", Ask(ground, 0));
            await server.StopAsync(Hang);
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_MACHINE_DIR", before);
            Directory.Delete(ground, recursive: true);
        }
    }

    /// <summary>As that of any transport: what has authenticated otherwise may say so.</summary>
    [Fact]
    public async Task AnotherUserCanBeSet()
    {
        ClaimsPrincipal other = new(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "7"), new Claim(ClaimTypes.Name, "seven")], "other"));
        await ServeAsync("plain", host => host.ConfigureKestrel(kestrel => kestrel.Listen(new IpcEndPoint("web"), listen =>
        {
            listen.Protocols = HttpProtocols.Http1;
            listen.Use(next => connection =>
            {
                connection.Features.Get<IConnectionUserFeature>()!.User = other;
                return next(connection);
            });
        })));
        Assert.Equal($"{Said("-u")} 7 seven True other", await Http().GetStringAsync("/user", Hang));
    }

    /// <summary>What the server answers to a program of that user.</summary>
    private static string Ask(string ground, int user)
    {
        Dictionary<string, string> environment = new() { ["IPC_DIR"] = $"{ground}/of-{user}" };
        using OtherProcess asking = new(
            false, environment, "setpriv", $"--reuid={user}", $"--regid={user}", "--clear-groups", PeerPrograms.Dotnet, typeof(TestServer).Assembly.Location, "ask", "machine/web", "/user");
        string answer = asking.NextLine();
        asking.MustEndWell();
        return answer;
    }

    /// <summary>As somebody else finds it out.</summary>
    private static string Said(string option)
    {
        using Process id = Process.Start(new ProcessStartInfo("id", option) { RedirectStandardOutput = true })!;
        return id.StandardOutput.ReadToEnd().Trim();
    }
}
