using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Ipc.Testing.Drive;

namespace Ipc.Mutation.Tests;

/// <summary>
/// A library with all of its mutants in it, and a copy of its test program that runs over it. It is compiled by a project of its own, for one framework, against
/// what those tests were built with.
/// </summary>
internal sealed class CSharpLibrary
{
    private static readonly string[] Output = AppContext.BaseDirectory.TrimEnd('/').Split('/')[^3..];

    private readonly Scratch _scratch;
    private readonly string _program;
    private readonly Dictionary<string, int> _limits = [];

    /// <param name="scratch">Where everything is made.</param>
    /// <param name="place">What is mutated.</param>
    /// <param name="mutants">All of its mutants, and what is wrong with those that are not compiled into it.</param>
    /// <param name="chosen">Those that will be run: without a mutant their tests pass, and take the time by which a hang is known.</param>
    public CSharpLibrary(Scratch scratch, CSharpPlace place, IEnumerable<Mutant> mutants, IReadOnlyList<Mutant> chosen)
    {
        _scratch = scratch;
        string built = Path.Combine([PeerPrograms.Top, "tests", place.Tests, .. Output]), source = scratch.PathOf("tree", place.Library);
        string run = scratch.PathOf(["top", "tests", place.Tests, .. Output]);
        _program = Path.Combine(run, $"{place.Tests}.dll");
        Command.Copy(built, run);
        place.CopySources(source);
        foreach (IGrouping<string, Mutant> file in mutants.GroupBy(static mutant => mutant.File))
            File.WriteAllText(Path.Combine(source, file.Key), file.Aggregate(File.ReadAllText(Path.Combine(source, file.Key)), static (text, mutant) => Beside(mutant).Apply(text).Text));
        place.WriteProject(source, built);
        Command.Must(300, source, scratch.Environment(("DOTNET_TieredPGO", "0")), PeerPrograms.Dotnet, "build", $"{place.Library}.csproj", "-c", "Release", "-nodeReuse:false", "-maxcpucount:1", "-v:q",
            "-nologo", "-tl:off", "-o", scratch.PathOf("built", place.Library));
        File.Copy(scratch.PathOf("built", place.Library, $"{place.Library}.dll"), Path.Combine(run, $"{place.Library}.dll"), overwrite: true);
        Measure([.. chosen.Select(static mutant => mutant.Test).Distinct()]);
    }

    /// <summary>The mutant as it is compiled: beside the original, and chosen by its number.</summary>
    public static Mutant Beside(Mutant mutant) => mutant with
    {
        Edits = [.. mutant.Edits.Select(edit => edit with
        {
            Replacement = mutant.Kind switch
            {
                "expression" => $"(Mutants.On({mutant.Number}) ? ({edit.Replacement}) : ({edit.Original}))",
                "statement" => $"if (Mutants.On({mutant.Number})) {{ {edit.Replacement} }} else {{ {edit.Original}\n}}",
                "text" => edit.Replacement.Replace("NUMBER", $"{mutant.Number}", StringComparison.Ordinal),
                _ => throw new InvalidDataException($"{mutant.Name}: {mutant.Kind}?"),
            },
        })],
    };

    /// <summary>Whether the test that is named notices the mutant, by failing or by a hang. Some need two threads to meet, which they may not do in one run.</summary>
    public bool IsCaught(Mutant mutant)
    {
        for (int tries = 0; tries < 3; tries++)
        {
            if (Run(_limits[mutant.Test], mutant.Number, [mutant.Test]).Code != 0)
                return true;
        }

        return false;
    }

    /// <summary>How long a test may take with a mutant: four times as long as it took without one (its cases one after another), and twelve seconds to begin and to end.</summary>
    private void Measure(string[] tests)
    {
        if (tests.Length == 0)
            return;
        string results = _scratch.PathOf("run.xml");
        (int? code, string said) = Run(240, 0, tests, "-xml", results);
        if (code != 0)
            throw new InvalidOperationException($"they fail without any mutant: {said}");
        XElement[] ran = [.. XDocument.Load(results).Descendants("test")];
        foreach (string test in tests)
        {
            Regex name = new($"\\.{Regex.Escape(test).Replace(@"\*", ".*", StringComparison.Ordinal)}$");
            double[] times = [.. ran.Where(one => name.IsMatch($".{one.Attribute("type")!.Value}.{one.Attribute("method")!.Value}")).Select(static one => (double)one.Attribute("time")!)];
            if (times.Length == 0)
                throw new InvalidOperationException($"there is no test {test}");
            _limits[test] = (int)(4 * times.Sum()) + 12;
        }
    }

    private (int? Code, string Said) Run(int seconds, int mutant, string[] tests, params string[] more)
        => Command.Run(seconds, _scratch.Folder, _scratch.Environment(("IPC_MUTANT", mutant.ToString(CultureInfo.InvariantCulture))),
            [PeerPrograms.Dotnet, _program, "-noLogo", "-noColor", .. tests.SelectMany(static test => new[] { "-method", $"*.{test}" }), .. more]);
}
