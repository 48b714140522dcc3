using System;
using System.IO;
using Xunit;

namespace OfficeAddin.Tests;

public sealed class CellTests : SheetTest
{
    [Fact]
    public void ACellIsWhatItWasMadeOf()
    {
        Assert.Equal(CellKind.Empty, default(CellValue).Kind);
        Assert.Equal((CellKind.Number, 1.5), (Number(1.5).Kind, Number(1.5).Number));
        Assert.Equal((CellKind.Text, "a"), (CellValue.Of("a").Kind, CellValue.Of("a").Text));
        Assert.Equal((CellKind.Text, ""), (CellValue.Of("").Kind, CellValue.Of("").Text));
        Assert.Equal((CellKind.Boolean, true), (CellValue.Of(true).Kind, CellValue.Of(true).Boolean));
        Assert.Equal((CellKind.Error, CellError.Div0), (CellValue.Of(CellError.Div0).Kind, CellValue.Of(CellError.Div0).Error));
        Assert.Equal((CellKind.Error, CellError.Null), (CellValue.Of(CellError.Null).Kind, CellValue.Of(CellError.Null).Error));
    }

    [Fact]
    public void CellsThatLookAlikeDiffer()
    {
        CellValue[] cells = [default, Number(0), Number(1), CellValue.Of(""), CellValue.Of("1"), CellValue.Of(true), CellValue.Of(false), CellValue.Of(CellError.Null)];
        for (int i = 0; i < cells.Length; i++)
        {
            for (int j = 0; j < cells.Length; j++)
                Assert.Equal(i == j, cells[i] == cells[j]);
        }
    }

    [Theory]
    [InlineData(1e20, "1E+20")]
    [InlineData(0.1, "0.1")]
    [InlineData(-1234.5, "-1234.5")]
    [InlineData(1e-5, "1E-05")]
    public void ANumberIsShownWithFifteenDigits(double number, string shown) => Assert.Equal(shown, Number(number).ToString());

    [Fact]
    public void ATableTravels()
    {
        var grid = new CellGrid(2, 4,
        [
            default, Number(double.Epsilon), CellValue.Of("Žižkov 😀"), CellValue.Of(""),
            CellValue.Of(true), CellValue.Of(false), CellValue.NotAvailable, CellValue.Of(CellError.GettingData),
        ]);
        CellGrid back = CellPacking.Unpack(CellPacking.Pack(grid));
        Assert.Equal((2, 4), (back.Rows, back.Columns));
        Assert.Equal(grid.RowMajor.ToArray(), back.RowMajor.ToArray());
        Assert.Equal(0, CellPacking.Unpack(CellPacking.Pack(new CellGrid(0, 3, []))).Rows);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(42, 42)]
    [InlineData(43, 43)]
    [InlineData(5, (int)CellError.Value)]
    [InlineData(127, (int)CellError.Value)]
    [InlineData(128, (int)CellError.Value)]
    [InlineData(12345, (int)CellError.Value)]
    [InlineData(-1, (int)CellError.Value)]
    public void AnErrorThatNoSpreadsheetHasBecomesValue(int code, int travelled)
    {
        CellGrid grid = CellGrid.Of(CellValue.Of((CellError)code));
        Assert.Equal((CellError)travelled, CellPacking.Unpack(CellPacking.Pack(grid))[0, 0].Error);
    }

    public static TheoryData<Cells> Damaged =>
    [
        new Cells { Rows = 1, Columns = 2, Kinds = [0] },
        new Cells { Rows = -1, Columns = -1, Kinds = [0] },
        new Cells { Rows = 65536, Columns = 65536 }, // 2^32, which is 0 in 32 bits
        new Cells { Rows = 1, Columns = 1, Kinds = [1] },
        new Cells { Rows = 1, Columns = 1, Kinds = [2] },
        new Cells { Rows = 1, Columns = 1, Kinds = [5] },
        new Cells { Rows = 1, Columns = 1, Kinds = [6] },
        new Cells { Rows = 1, Columns = 1, Kinds = [0], Numbers = [1] },
        new Cells { Rows = 1, Columns = 1, Kinds = [0], Texts = [""] },
    ];

    [Theory]
    [MemberData(nameof(Damaged), DisableDiscoveryEnumeration = true)]
    public void WhatIsNotATableIsRefused(Cells cells) => Assert.Throws<InvalidDataException>(() => CellPacking.Unpack(cells));

    [Fact]
    public void ATableOfTheWrongSizeIsRefused()
    {
        Assert.Throws<ArgumentException>(() => new CellGrid(2, 2, new CellValue[3]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CellGrid(-1, -1, new CellValue[1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CellGrid(1, 1, new CellValue[1])[0, 1]);
    }
}
