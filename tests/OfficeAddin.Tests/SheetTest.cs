using System;
using System.IO;
using System.Linq;
using Xunit;

[assembly: CollectionBehavior(DisableTestParallelization = true)] // one test changes IPC_DIR, others count threads

namespace OfficeAddin.Tests;

/// <summary>What the tests share: a name of their own, a table, and patience for a loaded machine.</summary>
public abstract class SheetTest
{
    /// <summary>A table with every kind of cell, in the ways in which a file can have them.</summary>
    internal const string Csv =
        "id,price,volume,name,listed,note\r\n" +
        "AAPL,187.25,1000,\"Apple, Inc.\",TRUE,\r\n" +
        "MSFT,411.5,2e3,Microsoft,TRUE,\"says \"\"hello\"\"\"\n" +
        "ŽIŽ,-0.1,+3,Žižkov 😀,FALSE,#DIV/0!\n" +
        "\n" +
        "ODD,1e999,0x10,.5,#N/A,\"12\"\n" +
        "SHORT,1\n" +
        "AAPL,0,0,again,FALSE,twice\n" +
        "BIG,1.7976931348623157e308,4.9e-324,123456789012345678,#REF!,\" \"";

    /// <summary>Waits as long as a loaded machine needs: for tests of what happens, not of how long it takes.</summary>
    internal static SheetOptions Patient => new() { Deadline = TimeSpan.FromSeconds(20), PatientDeadline = TimeSpan.FromSeconds(20), AbsentPause = TimeSpan.Zero };

    internal static string NewName() => "sheet-" + Guid.NewGuid().ToString("N");

    internal static CellValue Number(double number) => CellValue.Of(number);

    internal static CellGrid Row(params CellValue[] cells) => new(1, cells.Length, cells);

    internal static CellGrid Numbers(params double[] numbers) => Row(numbers.Select(CellValue.Of).ToArray());

    /// <summary>A file with <see cref="Csv"/>, for as long as the test runs.</summary>
    internal sealed class CsvFile : IDisposable
    {
        public CsvFile(string text = Csv) => File.WriteAllText(Path, text);

        public string Path { get; } = System.IO.Path.GetTempFileName();

        public void Dispose() => File.Delete(Path);
    }
}
