using Xunit;

namespace Ipc.Core.Tests;

/// <summary>What things are called on Windows (docs/wire-format/windows.md). Told on every system: it is arithmetic.</summary>
public sealed class WindowsNamesTests
{
    [Fact]
    public void TheHashIsThatOfThePage()
    {
        const ulong Low = 0x0706050403020100, High = 0x0F0E0D0C0B0A0908, Expected = 0x3F2ACC7F57C29BDB;
        Assert.Equal(Expected, WindowsNames.Hash(Low, High, Low, High));
    }

    [Theory]
    [InlineData("con")]
    [InlineData("CON")]
    [InlineData("nul.quotes")]
    [InlineData("Com1")]
    [InlineData("LPT9.txt.old")]
    [InlineData("quotes.")]
    public void ANameThatNoToolCouldRemoveIsNone(string name) => Assert.NotNull(WindowsOs.WhyReserved(name));

    [Theory]
    [InlineData("quotes")]
    [InlineData("console")]
    [InlineData("com")]
    [InlineData("com10")]
    [InlineData("a.con")]
    [InlineData("quotes.v1")]
    public void AnyOtherNameIsOne(string name) => Assert.Null(WindowsOs.WhyReserved(name));
}
