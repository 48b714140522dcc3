using System;
using System.Globalization;
using System.Linq;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>Dates as cells: between the daemon's calendar and the spreadsheet's.</summary>
public sealed class DateTests : SheetTest
{
    [Theory]
    [InlineData("0001-01-01", null, null)]
    [InlineData("1899-12-31", null, null)]
    [InlineData("1900-01-01", 1.0, null)]
    [InlineData("1900-02-28", 59.0, null)] // and 60 is Excel's 29 February 1900
    [InlineData("1900-03-01", 61.0, null)]
    [InlineData("1903-12-31T12:00:00", 1461.5, null)]
    [InlineData("1904-01-01", 1462.0, 0.0)]
    [InlineData("2026-11-27T06:00:00", 46353.25, 44891.25)]
    [InlineData("9999-12-31", 2958465.0, 2957003.0)]
    public void ADateIsANumberInTheSheet(string date, double? from1900, double? from1904)
    {
        CellValue cell = CellValue.Of(DateTime.Parse(date, CultureInfo.InvariantCulture));
        Assert.Equal(CellKind.Date, cell.Kind);
        Assert.Equal(date, cell.ToString());
        Assert.Equal(from1900, CellDates.Serial(cell.Days));
        Assert.Equal(from1904, CellDates.Serial(cell.Days, from1904: true));
        if (from1900 is { } serial)
            Assert.Equal(cell.Days, CellDates.Days(serial));
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(60)]
    [InlineData(60.999)]
    [InlineData(-1)]
    [InlineData(2_958_466)]
    [InlineData(double.NaN)]
    [InlineData(double.PositiveInfinity)]
    public void WhatIsNoNumberOfADayIsNoDate(double serial) => Assert.Null(CellDates.Days(serial));

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(double.NegativeInfinity)]
    [InlineData(1e300)]
    [InlineData(2_958_466)]
    [InlineData(-693_594)]
    public void ADayThatNoCalendarHasIsAnError(double days) => Assert.Equal(CellValue.Of(CellError.Num), CellValue.OfDays(days));

    /// <summary>What programs write for "never" would be shown as a day later, and there is none.</summary>
    [Fact]
    public void TheEndOfTheLastDayIsAnError()
    {
        Assert.Equal(CellValue.Of(CellError.Num), CellValue.Of(DateTime.MaxValue));
        Assert.Equal(CellKind.Date, CellValue.Of(DateTime.MaxValue.Date).Kind);
    }

    [Fact]
    public void ADateTravelsAsADate()
    {
        CellGrid grid = Row(CellValue.Of(new DateTime(2026, 11, 27, 9, 30, 0)), Number(1), CellValue.Of(DateTime.MinValue), CellValue.Of("2026-11-27"), default);
        CellGrid back = CellPacking.Unpack(CellPacking.Pack(grid));
        Assert.Equal(grid.RowMajor.ToArray(), back.RowMajor.ToArray());
        Assert.Equal(new DateTime(2026, 11, 27, 9, 30, 0), back[0, 0].Date);
        Assert.NotEqual(Number(back[0, 0].Days), back[0, 0]);
        Assert.Equal(CellValue.Of(CellError.Num), CellPacking.Unpack(new Cells { Rows = 1, Columns = 1, Kinds = [5], Numbers = [double.NaN] })[0, 0]);
    }

    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void DatesOfATableAndOfFunctionsAreDates(string language)
    {
        using var file = new CsvFile("id,date,moment,none,quoted\nA,2026-11-27,2026-11-27T09:30:01,2026-02-29,\"2026-11-27\"\nB,0001-01-01,9999-12-31T23:59:59,0000-01-01,2026-11-27T24:00:00\n");
        string name = NewName();
        using var daemon = Daemon.Start(language, name, "--csv", file.Path);
        using var sheet = new SheetFunctions(Patient);
        CellGrid dates = sheet.Grid(name, ["A", "B"], ["date", "moment", "none", "quoted"]);
        Assert.Equal(
            [
                CellValue.Of(new DateTime(2026, 11, 27)), CellValue.Of(new DateTime(2026, 11, 27, 9, 30, 1)), CellValue.Of("2026-02-29"), CellValue.Of("2026-11-27"),
                CellValue.Of(DateTime.MinValue), CellValue.Of(new DateTime(9999, 12, 31, 23, 59, 59)), CellValue.Of("0000-01-01"), CellValue.Of("2026-11-27T24:00:00"),
            ],
            dates.RowMajor.ToArray());

        Assert.Equal(CellValue.Of(new DateTime(2024, 2, 29)), One("date", Numbers(2024), Numbers(2), Numbers(29)));
        Assert.Equal(CellValue.Of(CellError.Num), One("date", Numbers(2023), Numbers(2), Numbers(29)));
        Assert.Equal(CellValue.Of(CellError.Num), One("date", Numbers(1e300), Numbers(1), Numbers(1)));
        Assert.Equal(CellValue.Of(CellError.Value), One("date", Numbers(2023), Numbers(2)));
        Assert.Equal(CellValue.Of(new DateTime(2024, 3, 1, 12, 0, 0)), One("shift", Row(CellValue.Of(new DateTime(2024, 2, 29))), Numbers(1.5)));
        Assert.Equal(CellValue.Of(new DateTime(1900, 3, 1)), One("shift", Numbers(61), Numbers(0)));
        Assert.Equal(CellValue.Of(new DateTime(1900, 1, 1)), One("shift", Numbers(1), Numbers(0)));
        Assert.Equal(CellValue.Of(CellError.Num), One("shift", Numbers(60), Numbers(0)));
        Assert.Equal(CellValue.Of(CellError.Num), One("shift", Numbers(61), Numbers(double.MaxValue)));
        Assert.Equal(CellValue.Of(CellError.Value), One("shift", Row(CellValue.Of("x")), Numbers(0)));
        Assert.Equal(0, sheet.Counters(name).Failures);

        CellValue One(string function, params CellGrid[] arguments) => sheet.Calc(name, function, arguments)[0, 0];
    }

    [Fact]
    public void BothLanguagesWriteDatesAlike()
    {
        var random = new Random(1);
        CellGrid dates = Row(Enumerable.Range(0, 2000).Select(_ => CellValue.OfDays((random.NextDouble() * 3_652_058) - 693_593)).Concat(
            Enumerable.Range(-800, 1600).Select(days => CellValue.OfDays(days * 365.25))).Concat(
            Enumerable.Range(1, 86_400).Where(second => second % 487 == 0).Select(second => CellValue.Of(new DateTime(2026, 11, 27).AddSeconds(second)))).ToArray());
        CellValue[] texts = new string[] { Daemon.CSharp, Daemon.Cpp }.Select(Concatenated).ToArray();
        Assert.Equal(texts[0], texts[1]);
        Assert.Equal(string.Concat(dates.RowMajor.ToArray().Select(static date => date.ToString())), texts[0].Text);

        CellValue Concatenated(string language)
        {
            string name = NewName();
            using var daemon = Daemon.Start(language, name);
            using var sheet = new SheetFunctions(Patient);
            Assert.Equal(dates.RowMajor.ToArray(), sheet.Calc(name, "echo", [dates]).RowMajor.ToArray());
            return sheet.Calc(name, "concat", [dates])[0, 0];
        }
    }
}
