using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Ipc.Testing.Drive;

namespace Ipc.Mutation.Tests;

/// <summary>Where a library is, which tests are to notice its mutants, and what it refers to.</summary>
internal sealed record CSharpPlace(string Library, string Folder, string Namespace, string Tests, params string[] References)
{
    public static readonly IReadOnlyList<CSharpPlace> All =
    [
        new("Ipc.Core", "src/Ipc.Core", "Ipc", "Ipc.Core.Tests"),
        new("Ipc.Rpc", "src/Ipc.Rpc", "Ipc.Rpc", "Ipc.Rpc.Tests", "Ipc.Core"),
        new("OfficeAddin.Core", "samples/OfficeAddin/Core", "OfficeAddin", "OfficeAddin.Tests", "Ipc.Core", "Ipc.Rpc", "OfficeAddin.Contract"),
    ];

    private static readonly string Compiled = Path.Combine(PeerPrograms.Top, "tests", "Ipc.Mutation.Tests", "Mutants");

    private string Home => Path.Combine(PeerPrograms.Top, Folder);

    private XDocument Project => XDocument.Load(Directory.GetFiles(Home, "*.csproj").Single());

    public string FileOf(string name) => Path.Combine(Home, name);

    /// <summary>Its sources, with what it compiles of another library, and what the mutants call.</summary>
    public void CopySources(string to)
    {
        Command.Copy(Home, to, static folder => folder is not ("bin" or "obj"));
        File.Delete(Directory.GetFiles(to, "*.csproj").Single());
        foreach (string linked in Project.Descendants("Compile").Select(static compile => compile.Attribute("Include")?.Value ?? "").Where(static path => path.StartsWith("../", StringComparison.Ordinal)))
            File.Copy(Path.Combine(Home, linked), Path.Combine(to, Path.GetFileName(linked)));
        File.WriteAllText(Path.Combine(to, "Mutants.cs"), File.ReadAllText(Path.Combine(Compiled, "Mutants.cs")).Replace("NAMESPACE", Namespace, StringComparison.Ordinal));
        if (Library == "Ipc.Core")
            File.Copy(Path.Combine(Compiled, "Meetings.cs"), Path.Combine(to, "Meetings.cs"));
        File.Copy(Path.Combine(PeerPrograms.Top, "Directory.Build.props"), Path.Combine(to, "Directory.Build.props"), overwrite: true);
    }

    public void WriteProject(string to, string built) => new XDocument(new XElement("Project", new XAttribute("Sdk", "Microsoft.NET.Sdk"),
        new XElement("PropertyGroup",
            new XElement("TargetFramework", "net10.0"),
            new XElement("RootNamespace", Namespace),
            new XElement("AllowUnsafeBlocks", true),
            new XElement("RunAnalyzers", false),
            new XElement("EnforceCodeStyleInBuild", false),
            new XElement("TreatWarningsAsErrors", false),
            new XElement("WarningLevel", 0)),
        new XElement("ItemGroup", References.Select(reference => new XElement("Reference", new XAttribute("Include", Path.Combine(built, $"{reference}.dll"))))),
        new XElement("ItemGroup", Project.Descendants("InternalsVisibleTo")))).Save(Path.Combine(to, $"{Library}.csproj"));
}
