using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;

namespace Ipc.Build.Results;

/// <summary>What a runner has reported.</summary>
internal sealed class ResultFile
{
    private readonly int _errors;

    private ResultFile(IReadOnlyList<TestResult> tests, int errors)
    {
        Tests = tests;
        _errors = errors;
    }

    public IReadOnlyList<TestResult> Tests { get; }

    public int Passed => Count(Outcome.Passed);

    /// <summary>Errors outside of a test are failures, too: of a fixture that cannot be cleaned up.</summary>
    public int Failed => Count(Outcome.Failed) + _errors;

    public int Skipped => Count(Outcome.Skipped);

    public static ResultFile Read(string path)
    {
        XElement root = XDocument.Load(path).Root!;
        return root.Name.LocalName is "testsuite" or "testsuites"
            ? new ResultFile([.. root.Descendants("testcase").Select(OfCTest)], 0)
            : new ResultFile([.. root.Descendants("test").Where(static test => (string?)test.Attribute("result") != "NotRun").Select(OfXunit)], root.DescendantsAndSelf("assembly").Sum(static assembly => (int?)assembly.Attribute("errors") ?? 0));
    }

    private static TestResult OfXunit(XElement test) => new(
        $"{(string?)test.Attribute("type")}.{(string?)test.Attribute("method")}",
        (string?)test.Attribute("name") ?? "",
        (string?)test.Attribute("result") switch { "Pass" => Outcome.Passed, "Skip" => Outcome.Skipped, _ => Outcome.Failed },
        test.Element("reason")?.Value.Trim() ?? "");

    private static TestResult OfCTest(XElement test) => new(
        (string?)test.Attribute("name") ?? throw new InvalidDataException("a test without a name"),
        (string?)test.Attribute("name") ?? "",
        (string?)test.Attribute("status") switch { "run" => Outcome.Passed, "notrun" or "disabled" => Outcome.Skipped, _ => Outcome.Failed },
        (string?)test.Element("skipped")?.Attribute("message") ?? "");

    private int Count(Outcome outcome) => Tests.Count(test => test.Outcome == outcome);
}
