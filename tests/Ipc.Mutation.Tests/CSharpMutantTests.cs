using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit;

namespace Ipc.Mutation.Tests;

/// <summary>Takes one step of the C# libraries away at a time: the test that is named must notice. csharp.mutants has them.</summary>
public class CSharpMutantTests(CSharpMutants mutants) : IClassFixture<CSharpMutants>
{
    public static IEnumerable<TheoryDataRow<string>> Chosen => CSharpMutants.List.Rows();

    [Theory]
    [MemberData(nameof(Chosen))]
    public void TheTestThatIsNamedNotices(string mutant) => Assert.True(mutants.IsCaught(CSharpMutants.List[mutant]), $"survived: {CSharpMutants.List[mutant].Test} passes");

    [Fact]
    public void EveryEditHasOnePlace()
    {
        List<string> problems = [];
        foreach (IGrouping<(string?, string), Mutant> file in CSharpMutants.List.All.GroupBy(static mutant => (mutant.Library, mutant.File)))
        {
            string text = File.ReadAllText(CSharpPlace.All.Single(place => place.Library == file.First().Library).FileOf(file.First().File));
            foreach (Mutant mutant in file)
            {
                (text, string? problem) = CSharpLibrary.Beside(mutant).Apply(text);
                if (problem != null)
                    problems.Add($"{mutant.Name}: {problem}");
            }
        }

        Assert.Empty(problems);
    }
}
