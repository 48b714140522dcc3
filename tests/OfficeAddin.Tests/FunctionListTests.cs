using System;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>What a daemon says that it computes.</summary>
public sealed class FunctionListTests : SheetTest
{
    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public async Task EveryFunctionIsListedWithItsParametersAndAHelp(string language)
    {
        string name = NewName();
        using var daemon = Daemon.Start(language, name);
        using var sheet = new SheetFunctions(Patient);

        CellGrid list = sheet.Functions(name);
        Assert.Equal(3, list.Columns);
        Assert.All(list.RowMajor.ToArray(), static cell => Assert.NotEqual("", cell.Text));
        string[] names = Enumerable.Range(0, list.Rows).Select(row => list[row, 0].Text).ToArray();
        Assert.Contains("vwap", names);
        Assert.Equal(names.Length, names.Distinct().Count());
        Assert.All(names, function => Assert.NotEqual(CellValue.Of(CellError.Name), sheet.Calc(name, function, [])[0, 0]));
        Assert.Equal(list.RowMajor.ToArray(), (await sheet.FunctionsAsync(name)).RowMajor.ToArray());
        Assert.Equal(0, sheet.Counters(name).Failures);
    }

    [Fact]
    public void BothLanguagesListTheSame()
    {
        CellValue[][] lists = new string[] { Daemon.CSharp, Daemon.Cpp }.Select(ListOf).ToArray();
        Assert.Equal(lists[0], lists[1]);

        static CellValue[] ListOf(string language)
        {
            string name = NewName();
            using var daemon = Daemon.Start(language, name);
            using var sheet = new SheetFunctions(Patient);
            return sheet.Functions(name).RowMajor.ToArray();
        }
    }

    /// <summary>It answers: that it does not know the question is no reason to leave it alone.</summary>
    [Fact]
    public void ADaemonThatIsOlderThanTheListServesAllTheRest()
    {
        string name = NewName();
        using RpcServer server = RpcServer.Start(
            name,
            new RpcService(
                SheetRpc.ServiceName,
                [RpcHandler.Unary(SheetRpc.Grid, static (request, _) => CellPacking.Pack(FakeSheet.Row(request, 1)))]));
        SheetOptions options = Patient;
        options.AbsentPause = options.SlowPause = TimeSpan.FromHours(1);
        using var sheet = new SheetFunctions(options);

        CellGrid list = sheet.Functions(name);
        Assert.Equal((1, 1), (list.Rows, list.Columns));
        Assert.StartsWith("The daemon does not list its functions", list[0, 0].Text, StringComparison.Ordinal);
        Assert.Equal(CellValue.Of("a.p#1"), sheet.Get(name, "a", "p"));
        Assert.Equal(0, sheet.Counters(name).Failures);
    }

    [Fact]
    public void ADaemonWithoutFunctionsSaysSo()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name);
        using var sheet = new SheetFunctions(Patient);
        Assert.Equal([CellValue.Of("The daemon has no functions.")], sheet.Functions(name).RowMajor.ToArray());
    }

    [Fact]
    public void OfNobodyThereIsNoList()
    {
        using var sheet = new SheetFunctions(Patient);
        Assert.Equal([CellValue.NotAvailable], sheet.Functions(NewName()).RowMajor.ToArray());
    }
}
