using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ipc.Docs.Tests.Reference;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>The reference is made of the docstrings; so each public type and member has to have one. With IPC_REFERENCE=FOLDER the
/// pages are written there.</summary>
public class ReferenceTests
{
    private static readonly string[] _assemblies = ["Ipc.Core", "Ipc.Rpc"];

    [Fact]
    public void EveryPublicTypeAndMemberHasWords()
    {
        var index = new List<(string, PublicType, string)>();
        var wordless = new List<string>();
        string? folder = Environment.GetEnvironmentVariable("IPC_REFERENCE");
        foreach (string assembly in _assemblies)
        {
            PublicType[] types = [.. PublicType.ReadAll(Repository.Read($"src/{assembly}/PublicAPI.txt"))];
            Assert.True(types.Length > 20, assembly);
            Assert.All(types, static type => Assert.StartsWith("Ipc.", type.FullName, StringComparison.Ordinal));
            var words = new Docstrings(Path.Combine(AppContext.BaseDirectory, assembly + ".xml"));
            foreach (PublicType type in types)
            {
                string summary = Docstrings.Words(words.Of(type)?.Element("summary"));
                index.Add((assembly, type, summary));
                if (summary.Length == 0)
                    wordless.Add(type.FullName);
                wordless.AddRange(type.Members.Where(member => !member.NeedsNoWords(type.Name) && Docstrings.Words(words.Of(type, member, types)?.Element("summary")).Length == 0)
                    .Select(member => type.FullName + ": " + member.Signature));

                string page = Pages.Page(type, words, types);
                Assert.Contains(type.Name, page, StringComparison.Ordinal);
                if (folder is not null)
                    File.WriteAllText(Path.Combine(Directory.CreateDirectory(folder).FullName, type.File), page);
            }
        }

        if (folder is not null)
            File.WriteAllText(Path.Combine(folder, "README.md"), Pages.Index(index));
        Assert.True(wordless.Count == 0, string.Join("\n", wordless));
    }
}
