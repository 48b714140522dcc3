using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Mutation.Tests;

/// <summary>A file of mutants, and which of them this run is about: every fifth of the sample, with IPC_TEST_FULL=1 the sample, with
/// IPC_TEST_LONG=1 all, with IPC_MUTANTS=TEXT those whose name, file or test contains TEXT.</summary>
internal sealed class MutantList(string file)
{
    public IReadOnlyList<Mutant> All { get; } = Mutant.Read(Path.Combine(PeerPrograms.Top, "tests", "Ipc.Mutation.Tests", file));

    public IReadOnlyList<Mutant> Chosen
    {
        get
        {
            if (Environment.GetEnvironmentVariable("IPC_MUTANTS") is { Length: > 0 } text)
                return [.. All.Where(mutant => $"{mutant.Name} {mutant.File} {mutant.Test}".Contains(text, StringComparison.OrdinalIgnoreCase))];
            if (Switches.LongRuns)
                return All;
            Mutant[] sample = [.. All.Where(static mutant => mutant.IsInSample)];
            return Switches.FullRuns ? sample : [.. sample.Where(static (_, place) => place % 5 == 0)];
        }
    }

    public Mutant this[string name] => All.First(mutant => mutant.Name == name);

    /// <summary>A row of a theory for each that was chosen; a theory without rows would fail.</summary>
    public IEnumerable<TheoryDataRow<string>> Rows() => Chosen.Count == 0
        ? [new TheoryDataRow<string>("") { Skip = $"IPC_MUTANTS names none of {file}" }]
        : Chosen.Select(static mutant => new TheoryDataRow<string>(mutant.Name));
}
