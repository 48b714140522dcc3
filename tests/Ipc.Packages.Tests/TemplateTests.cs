using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Packages.Tests;

/// <summary>What somebody gets who types `dotnet new ipc-service`: it builds, runs, and its own tests pass.</summary>
public class TemplateTests(Templates templates) : IClassFixture<Templates>
{
    private const string Odd = "2 Fast.Orders-v1";

    [Fact]
    public void EverythingBuildsWithoutAWarning()
    {
        Place.SkipUnlessFull();
        Assert.True(templates.Built.Code == 0, templates.Built.Said);
    }

    /// <summary>The name of the server is made from the project's, or is the one that was asked for.</summary>
    [Theory]
    [InlineData(Odd, "net10.0", "2-fast.orders-v1")]
    [InlineData("Greeter", "net8.0", "hello")]
    public void AServiceAnswersItsClient(string name, string framework, string address)
    {
        Place.SkipUnlessFull();
        using RegionDirectory regions = new();
        Dictionary<string, string> environment = Environment(regions);
        using OtherProcess server = new(false, environment, PeerPrograms.Dotnet, templates.Program(name, "Server", framework));
        SkipTo(server, $"{address} serves greeter.v1");
        string said = Place.Run(templates.Work, environment, PeerPrograms.Dotnet, templates.Program(name, "Client", framework), "Ada");
        Assert.Equal(["1: Hello, Ada!", "2: Hello, Ada!", "3: Hello, Ada!", "4: Hello, Ada!"], said.TrimEnd().Split('\n'));
        Assert.Equal(0, server.Terminate());
        Assert.Empty(Directory.GetFileSystemEntries(regions.Path));
    }

    /// <summary>Sent before there is a worker; done by the first, which is killed with the next job in hand; the second gets that one.</summary>
    [Fact]
    public void AWorkerDoesWhatAnotherOneHadBegun()
    {
        Place.SkipUnlessFull();
        using RegionDirectory regions = new();
        Dictionary<string, string> environment = Environment(regions);
        string[] sender = [PeerPrograms.Dotnet, templates.Program("Job", "Sender")];
        string hello = Number(Place.Run(templates.Work, environment, [.. sender, "hello"])), endless = Number(Place.Run(templates.Work, environment, [.. sender, "endless", "3600"]));
        string folder = Path.Combine(templates.Work, "results");
        string[] worker = [PeerPrograms.Dotnet, templates.Program("Job", "Worker"), $"--Results={folder}", "--Jobs:DrainTimeout=00:00:00"];
        using (OtherProcess first = new(false, environment, worker))
        {
            SkipTo(first, $"{endless} begins");
            first.Kill();
        }

        Assert.Equal("HELLO\n", File.ReadAllText(Path.Combine(folder, $"{hello}.txt")));
        using OtherProcess second = new(false, environment, worker);
        SkipTo(second, $"{endless} begins, attempt 2");
        Assert.Equal(0, second.Terminate());
        Assert.Single(Directory.GetFiles(folder));
    }

    /// <summary>As far as it goes without Excel: the assemblies that Excel would load are built, and the same functions are called for .NET 10.</summary>
    [Fact]
    public void AFunctionOfTheAddInAsksTheService()
    {
        Place.SkipUnlessFull();
        templates.Program("My Sheet", "AddIn", "net472");
        templates.Program("Sheet.10", "AddIn", "net10.0-windows");
        string[] service = [PeerPrograms.Dotnet, templates.Program("My Sheet", "Service")], cell = [PeerPrograms.Dotnet, templates.Program("My Sheet", "Try")];
        Assert.Equal("101.5\n", Place.Beside(service, templates.Work, null, [.. cell, "IpcPrice", "ACME"]));
        Assert.Equal("101.5\t950\n", Place.Beside(service, templates.Work, null, [.. cell, "IpcPrices", "ACME,HOOLI"]));
        using RegionDirectory nobody = new();
        (int? code, string said) = Place.TryRun(templates.Work, Environment(nobody), [.. cell, "IpcPrice", "ACME"]);
        Assert.Equal(1, code);
        Assert.StartsWith("#VALUE! ", said, StringComparison.Ordinal);
        Assert.Contains("\"my-sheet\"", said, StringComparison.Ordinal);
    }

    /// <summary>`dotnet test` once, because that is what the readmes say; the others as it does, without all that it does before.</summary>
    [Theory]
    [InlineData(Odd, 2)]
    [InlineData("Job", 2)]
    [InlineData("My Sheet", 4)]
    public void ItsOwnTestsPass(string name, int count)
    {
        Place.SkipUnlessFull();
        using RegionDirectory regions = new();
        string tests = templates.Program(name, "Tests");
        string said = name == Odd
            ? Place.Run(templates.Folder(name), Environment(regions), PeerPrograms.Dotnet, "test", "Tests", "--no-build", "-nodeReuse:false", "-tl:off")
            : Place.Run(templates.Folder(name), Environment(regions), PeerPrograms.Dotnet, tests, "-noLogo", "-noColor");
        Assert.Matches($@"Total: +{count}\b", said);
        Assert.Empty(Directory.GetFileSystemEntries(regions.Path));
    }

    /// <summary>The versions of what others make are those that this repository is built and tested with.</summary>
    [Theory]
    [InlineData(Odd)]
    [InlineData("Job")]
    [InlineData("My Sheet")]
    public void ItNeedsThePackagesThatItCameWith(string name)
    {
        Place.SkipUnlessFull();
        templates.Program(name, "Tests");
        Dictionary<string, string> own = Versions(Place.Of("Directory.Packages.props")), wanted = Versions(Path.Combine(templates.Folder(name), "Directory.Packages.props"));
        Assert.Contains("Ipc.Rpc", wanted.Keys);
        Assert.All(wanted, one => Assert.Equal(one.Key.StartsWith("Ipc.", StringComparison.Ordinal) ? Packed.Version : own.GetValueOrDefault(one.Key, one.Value), one.Value));
    }

    /// <summary>`dotnet new` says which files are in its way, with an exit code of its own; a package comes from the folder by its name alone.</summary>
    [Fact]
    public void WhatIsThereStaysAndPackagesCanBeAdded()
    {
        Place.SkipUnlessFull();
        string folder = templates.Folder("Twice"), readme = Path.Combine(folder, "README.md");
        Assert.Equal(0, templates.New("ipc-service", "-o", "Twice").Code);
        File.Delete(Path.Combine(folder, "Server", "Program.cs"));
        File.WriteAllText(readme, "mine\n");
        (int? code, string said) = templates.New("ipc-service", "-o", "Twice");
        Assert.Equal(73, code);
        Assert.Contains("README.md", said, StringComparison.Ordinal);
        Assert.Equal("mine\n", File.ReadAllText(readme));
        Assert.False(File.Exists(Path.Combine(folder, "Server", "Program.cs")));

        Place.Run(folder, new() { ["NUGET_PACKAGES"] = templates.Folder("packages") }, PeerPrograms.Dotnet, "add", "Client", "package", "Ipc.Pipelines");
        Assert.Equal(Packed.Version, Versions(Path.Combine(folder, "Directory.Packages.props"))["Ipc.Pipelines"]);
    }

    [Fact]
    public void AFrameworkThatItHasNotIsRefusedByName()
    {
        Place.SkipUnlessFull();
        (int? code, string said) = templates.New("ipc-worker", "-o", "Wrong", "--framework", "net9.0");
        Assert.Equal(127, code);
        Assert.Contains("net10.0", said, StringComparison.Ordinal);
        Assert.False(Directory.Exists(templates.Folder("Wrong")));
    }

    /// <summary>Of .NET 8 there may be no runtime here: the newest takes its place, as in the other tests of it.</summary>
    private static Dictionary<string, string> Environment(RegionDirectory regions) => new() { ["IPC_DIR"] = regions.Path, ["DOTNET_ROLL_FORWARD"] = "Major" };

    private static string Number(string said) => said.Split(' ')[0];

    private static void SkipTo(OtherProcess program, string words)
    {
        while (!program.NextLine().Contains(words, StringComparison.Ordinal))
        {
        }
    }

    private static Dictionary<string, string> Versions(string file)
        => XDocument.Load(file).Descendants("PackageVersion").ToDictionary(static one => one.Attribute("Include")!.Value, static one => one.Attribute("Version")!.Value);
}
