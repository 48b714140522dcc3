using System;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Packages.Tests;

/// <summary>The packages as a stranger uses them: fresh projects (nuget/consumers) that know nothing but them. Each talks to a program of the repository.</summary>
public class ConsumerTests(FreshProjects projects) : IClassFixture<FreshProjects>
{
    [Theory]
    [InlineData("Net10", "net10.0", "quotes")]
    [InlineData("Net8", "net8.0", "quotes")]
    [InlineData("LibraryUser", "net10.0", "quotes")]
    [InlineData("Hosting", "net10.0", "quotes")]
    [InlineData("Serializers", "net10.0", "quotes")]
    [InlineData("Serializers", "net8.0", "quotes")]
    [InlineData("Native", "net10.0", "echo")]
    [InlineData("Pipes", "net10.0", "pipes")]
    [InlineData("Web", "net10.0", "web")]
    [InlineData("Web", "net8.0", "web")]
    [InlineData("Gateway", "net10.0", "quotes")]
    [InlineData("Gateway", "net8.0", "quotes")]
    public void AProgramUsesThePackages(string project, string framework, string service)
    {
        Place.SkipIfNotWanted();
        Beside(service, PeerPrograms.Dotnet, projects.Program($"{project}/bin/Release/{framework}/{project}.dll"), service);
    }

    [Fact]
    public void OneProcessUsesTwoVersions()
    {
        Place.SkipUnlessFull();
        Beside("quotes", [PeerPrograms.Dotnet, .. new[] { "Host", "Old", "New" }.Select(part => projects.Program($"TwoVersions/{part}/bin/Release/net10.0/{part}.dll")), "quotes"]);
    }

    /// <summary>Its stand-in is mono.</summary>
    [Theory]
    [InlineData("Framework", "quotes")]
    [InlineData("Native", "echo")]
    [InlineData("Pipes", "pipes")]
    public void AProgramOfDotNetFrameworkUsesThePackages(string project, string service)
    {
        Place.SkipIfNotWanted();
        string program = projects.Program($"{project}/bin/Release/net472/{project}.exe");
        (int? code, string said) = Place.TryRun(PeerPrograms.Top, null, "bash", "-c", ". eng/common.sh && . eng/setup.sh && offer_mono");
        Assert.SkipUnless(code == 0, "it was built; mono, which runs it here, is not to be had");
        Beside(service, "env", $"MONO_PATH={said.TrimEnd().Split('\n')[^1]}", "mono", program, service);
    }

    /// <summary>Any warning is an error.</summary>
    [Theory]
    [InlineData("Trimmed")]
    [InlineData("MachineCode")]
    public void WhatIsPublishedUsesThePackages(string project)
    {
        Place.SkipUnlessFull();
        string published = Path.Combine(projects.Work, project);
        Place.Run(projects.Folder, null, PeerPrograms.Dotnet, "publish", project, "-c", "Release", "-o", published, "-nodeReuse:false", "-v:quiet", "-tl:off");
        Beside("quotes", Path.Combine(published, project), "quotes");
    }

    [Fact]
    public void TheToolIsInstalledAndSeesAPeer()
    {
        Place.SkipIfNotWanted();
        string tools = Path.Combine(projects.Work, "tools");
        Place.Run(projects.Folder, null, PeerPrograms.Dotnet, "tool", "install", "Ipc.Tool", "--tool-path", tools, "--version", Packed.Version, "--configfile", projects.Config);
        Assert.Contains("\"quotes\"", Beside("quotes", Path.Combine(tools, "ipc"), "ls", "--json"), StringComparison.Ordinal);
    }

    [Fact]
    public void CFindsTheLibraryInThePackage()
    {
        Place.SkipIfNotWanted();
        string project = Path.Combine(projects.Work, "c-nuget"), library = Directory.GetDirectories(Path.Combine(projects.Folder, "packages", "ipc.native")).Single();
        Command.Copy(Place.Of("nuget/consumers/c-nuget"), project);
        File.Copy(Place.Of("nuget/consumers/c-pkgconfig/echo.c"), Path.Combine(project, "echo.c"));
        Place.Run(project, null, "cmake", "-S", ".", "-B", "build", "-G", "Ninja", $"-Dipc_DIR={Path.Combine(library, "build", "native")}");
        Place.Run(project, null, "cmake", "--build", "build");
        Beside("echo", Path.Combine(project, "build", "echo"), "echo");
    }

    private string Beside(string service, params string[] client) => Place.Beside(
        service switch
        {
            "echo" => Place.EchoServer(service),
            "pipes" => Place.Peer("Ipc.Pipelines.Peer", "echo", service),
            "web" => Place.Peer("Ipc.AspNetCore.Peer", service),
            _ => Place.QuotesServer,
        },
        projects.Work, null, client);
}
