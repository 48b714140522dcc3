using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>What both daemons serve, as cells.</summary>
public sealed class DaemonTests : SheetTest
{
    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void TheTableOfTheUserIsServed(string language)
    {
        using var file = new CsvFile();
        string name = NewName();
        using var daemon = Daemon.Start(language, name, "--csv", file.Path);
        using var sheet = new SheetFunctions(Patient);

        Assert.Equal(Number(187.25), sheet.Get(name, "AAPL", "price"));
        Assert.Equal(CellValue.Of("Apple, Inc."), sheet.Get(name, "AAPL", "name"));
        Assert.Equal(CellValue.Of(true), sheet.Get(name, "AAPL", "listed"));
        Assert.Equal(default, sheet.Get(name, "AAPL", "note"));
        Assert.Equal(Number(2000), sheet.Get(name, "MSFT", "volume"));
        Assert.Equal(CellValue.Of("says \"hello\""), sheet.Get(name, "MSFT", "note"));
        Assert.Equal(CellValue.Of("Žižkov 😀"), sheet.Get(name, "ŽIŽ", "name"));
        Assert.Equal(CellValue.Of(CellError.Div0), sheet.Get(name, "ŽIŽ", "note"));
        Assert.Equal(CellValue.Of("1e999"), sheet.Get(name, "ODD", "price"));
        Assert.Equal(CellValue.Of("0x10"), sheet.Get(name, "ODD", "volume"));
        Assert.Equal(CellValue.Of(".5"), sheet.Get(name, "ODD", "name"));
        Assert.Equal(CellValue.Of("12"), sheet.Get(name, "ODD", "note"));
        Assert.Equal(default, sheet.Get(name, "SHORT", "note"));
        Assert.Equal(Number(double.Epsilon), sheet.Get(name, "BIG", "volume"));
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "AAPL", "no such field"));
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "no such id", "price"));
        Assert.Contains($"up: {language} daemon, process {daemon.Id}, table 6 x 5", sheet.Status(name).Text, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void ThisMachineIsServedToo(string language)
    {
        string name = NewName();
        using var daemon = Daemon.Start(language, name);
        using var sheet = new SheetFunctions(Patient);

        CellGrid grid = sheet.Grid(name, ["mem", "cpu", "pid:" + Environment.ProcessId, "no such id"], ["total", "user", "threads", "name"]);
        Assert.Equal((4, 4), (grid.Rows, grid.Columns));
        Assert.InRange(grid[0, 0].Number, 1e6, 1e18);
        Assert.InRange(grid[1, 1].Number, 0.01, 1e12);
        Assert.InRange(grid[2, 2].Number, 1, 1e6);
        Assert.Equal(CellKind.Text, grid[2, 3].Kind);
        Assert.Equal(CellValue.NotAvailable, grid[0, 3]);
        Assert.All(Enumerable.Range(0, 4), column => Assert.Equal(CellValue.NotAvailable, grid[3, column]));
    }

    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void FunctionsCompute(string language)
    {
        string name = NewName();
        using var daemon = Daemon.Start(language, name);
        using var sheet = new SheetFunctions(Patient);
        CellGrid mixed = Row(Number(1), CellValue.Of("x"), Number(2.5), default, CellValue.Of(true));

        Assert.Equal(Number(13.5), One("sum", mixed, Numbers(10)));
        Assert.Equal(Number(1.75), One("mean", mixed));
        Assert.Equal(CellValue.Of(CellError.Div0), One("mean", Row(CellValue.Of("x"))));
        Assert.Equal(Number(2), One("count", mixed));
        Assert.Equal(CellValue.Of("1x2.5TRUE"), One("concat", mixed));
        Assert.Equal(Number(12.5), One("vwap", Numbers(10, 15), Numbers(1, 1)));
        Assert.Equal(CellValue.Of(CellError.Value), One("vwap", Numbers(10, 15), Numbers(1)));
        Assert.Equal(CellValue.Of(CellError.Div0), One("vwap", Numbers(10), Numbers(0)));
        Assert.Equal(CellValue.Of(CellError.Num), One("error", Numbers(36)));
        Assert.Equal(CellValue.Of(CellError.Value), One("error", Numbers(1.5)));
        Assert.Equal(CellValue.Of(CellError.Ref), One("sum", Numbers(1), Row(Number(1), CellValue.Of(CellError.Ref)), Row(CellValue.NotAvailable)));
        Assert.Equal(CellValue.Of(CellError.Name), One("no such function", mixed));
        Assert.Equal(Number(1), One("slow", Numbers(1)));
        Assert.Equal([Number(2), CellValue.Of("x"), Number(5), default, CellValue.Of(true)], sheet.Calc(name, "scale", [mixed, Numbers(2)]).RowMajor.ToArray());
        CellGrid all = new(2, 2, [CellValue.Of(CellError.NA), CellValue.Of(new string('ž', 32_767)), default, Number(-0.0)]);
        Assert.Equal(all.RowMajor.ToArray(), sheet.Calc(name, "echo", [all]).RowMajor.ToArray());
        Assert.Equal((2, 0), Size(sheet.Calc(name, "echo", [new CellGrid(2, 0, [])])));

        CellValue One(string function, params CellGrid[] arguments)
        {
            CellGrid result = sheet.Calc(name, function, arguments);
            Assert.Equal((1, 1), Size(result));
            return result[0, 0];
        }

        static (int, int) Size(CellGrid grid) => (grid.Rows, grid.Columns);
    }

    [Fact]
    public void BothLanguagesGiveTheSameCells()
    {
        using var file = new CsvFile();
        string[] ids = ["AAPL", "MSFT", "ŽIŽ", "ODD", "SHORT", "BIG", "none", ""], fields = ["price", "volume", "name", "listed", "note", "none", "id", ""];
        var random = new Random(1);
        CellGrid numbers = Numbers(Enumerable.Range(0, 1000).Select(_ => (random.NextDouble() - 0.5) * Math.Pow(10, random.Next(-30, 30))).ToArray());
        List<CellValue>[] cells = new string[] { Daemon.CSharp, Daemon.Cpp }.Select(Collect).ToArray();
        Assert.Equal(cells[0], cells[1]);

        List<CellValue> Collect(string language)
        {
            string name = NewName();
            using var daemon = Daemon.Start(language, name, "--csv", file.Path);
            using var sheet = new SheetFunctions(Patient);
            List<CellValue> all = [.. sheet.Grid(name, ids, fields).RowMajor];
            foreach (string function in new[] { "sum", "mean", "count", "concat", "echo" })
                all.AddRange(sheet.Calc(name, function, [numbers]).RowMajor);
            all.AddRange(sheet.Calc(name, "vwap", [numbers, numbers]).RowMajor);
            all.AddRange(sheet.Calc(name, "scale", [numbers, Numbers(1.1)]).RowMajor);
            Assert.Equal(0, sheet.Counters(name).Failures);
            Assert.Equal(0, daemon.Terminate());
            return all;
        }
    }
}
