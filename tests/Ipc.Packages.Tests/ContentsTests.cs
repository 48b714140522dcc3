using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Packages.Tests;

/// <summary>
/// nuget/contents/PACKAGE.txt lists every file and every dependency of a package: a change of it is a change for its users, and is reviewed as one. After a wanted change
/// IPC_UPDATE_PACKAGES=1 writes the lists. The other rules hold whatever the lists say.
/// </summary>
public class ContentsTests(Packed packed)
{
    private static readonly string Lists = Place.Of("nuget/contents");

    public static TheoryData<string> Names => [.. Directory.GetFiles(Lists, "*.txt").Select(static list => Path.GetFileNameWithoutExtension(list)).Order(StringComparer.Ordinal)];

    [Fact]
    public void EachPackageHasAList()
    {
        Place.SkipIfNotWanted();
        string end = $".{Packed.Version}.nupkg";
        string[] names = [.. Directory.GetFiles(packed.Feed, $"Ipc.*{end}").Select(file => Path.GetFileName(file)[..^end.Length]).Order(StringComparer.Ordinal)];
        Assert.True(names.Length >= 4, $"only {names.Length} packages");
        if (Environment.GetEnvironmentVariable("IPC_UPDATE_PACKAGES") == "1")
        {
            foreach (string name in names)
                File.WriteAllLines(ListOf(name), Contents(packed.Open(name)));
        }

        Assert.Equal(Names.Select(static row => row.Data), names);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void APackageIsWhatItsListSays(string name)
    {
        Place.SkipIfNotWanted();
        string[] wanted = File.ReadAllLines(ListOf(name)), found = Contents(packed.Open(name));
        Assert.True(wanted.SequenceEqual(found), $"if this is wanted, IPC_UPDATE_PACKAGES=1 writes it.\nonly in the list: {string.Join(", ", wanted.Except(found))}\nonly in the package: {string.Join(", ", found.Except(wanted))}");
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void APackageSaysWhatItIsAndNamesNoPlaceOnTheNet(string name)
    {
        Place.SkipIfNotWanted();
        Package package = packed.Open(name);
        Assert.NotEmpty(package["LICENSE"]);
        Assert.InRange(package["icon.png"].Length, 1, 10 * 1024 - 1);
        Assert.True(package["README.md"].Count(static letter => letter == '\n') > 10, "its README says next to nothing");
        Assert.Equal("expression: MIT", string.Join(", ", package.Metadata.Elements().Where(static element => element.Name.LocalName == "license").Select(static licence => $"{licence.Attribute("type")?.Value}: {licence.Value}")));
        Assert.DoesNotContain(package.Metadata.Elements(), static element => element.Name.LocalName is "repository" or "projectUrl");
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void EachAssemblyHasSymbolsAndDocuments(string name)
    {
        Place.SkipIfNotWanted();
        Package package = packed.Open(name);
        foreach (string assembly in package.Files.Where(static file => file.StartsWith("lib/", StringComparison.Ordinal) && file.EndsWith(".dll", StringComparison.Ordinal)))
        {
            Assert.Contains(Path.ChangeExtension(assembly, ".pdb"), package.Symbols.Keys);
            Assert.Contains(Path.ChangeExtension(assembly, ".xml"), package.Files);
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void APackageDoesNotKnowWhereItWasBuilt(string name)
    {
        Place.SkipIfNotWanted();
        byte[] top = Encoding.UTF8.GetBytes(PeerPrograms.Top);
        foreach ((string file, byte[] content) in packed.Open(name).Everything)
            Assert.False(content.AsSpan().IndexOf(top) >= 0, file);
    }

    /// <summary>Two packages of its makers where it lacks spans and asynchronous streams.</summary>
    [Theory]
    [InlineData("Ipc.Core")]
    [InlineData("Ipc.Rpc")]
    [InlineData("Ipc.Native")]
    public void TheLibrariesNeedTheFrameworkAndNothingElse(string name)
    {
        Place.SkipIfNotWanted();
        Assert.DoesNotContain(packed.Open(name).Dependencies, static need => need.Split(": ")[1] is not ("nothing" or "Ipc.Core, the same version")
            && !need.Contains(": Microsoft.Bcl.AsyncInterfaces ", StringComparison.Ordinal) && !need.StartsWith(".NETStandard2.0: System.Memory ", StringComparison.Ordinal));
    }

    private static string ListOf(string name) => Path.Combine(Lists, $"{name}.txt");

    private static string[] Contents(Package package) => [.. package.Files, .. package.Dependencies.Select(static need => $"needs for {need}")];
}
