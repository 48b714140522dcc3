using System;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Spectre.Console;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary>Names and texts of others reach the terminal without what it obeys: through every verb, as tables, pages, errors and JSON.</summary>
public sealed class HostileNamesTests
{
    /// <summary>An escape sequence, a C1 sequence, a turn of direction, a line that passes for the tool's own, half a pair, a tag outside the first plane.</summary>
    private const string Evil = "x\u001b[31m\u009b5m\u202egpj\nall is well\r\t\u2028\U000E0041\u0007\u007f";

    private static string Proto => Path.Combine(PeerPrograms.Top, "tests", "native", "rpc", "tests.proto");

    [Theory]
    [InlineData("ls", "--interval", "0")]
    [InlineData("ls", "--interval", "0.01")]
    [InlineData("ls", "--json")]
    [InlineData("ls", "--kind", "EVIL")]
    [InlineData("top", "-n", "1", "-d", "0.01")]
    [InlineData("top", "-n", "1", "-d", "0.01", "--json")]
    [InlineData("show", "EVIL")]
    [InlineData("show", "EVIL", "--json")]
    [InlineData("show", "EVIL-foreign")]
    [InlineData("show", "EVIL-foreign", "--json")]
    [InlineData("show", "EVIL-missing")]
    [InlineData("show", "EVIL/")]
    [InlineData("tail", "EVIL")]
    [InlineData("tail", "EVIL", "--format", "text")]
    [InlineData("tail", "EVIL", "--json")]
    [InlineData("tail", "EVIL", "--json", "--format", "text")]
    [InlineData("tail", "EVIL", "-m", "FailRequest", "-c", "EVIL")]
    [InlineData("tail", "EVIL-foreign")]
    [InlineData("tail", "EVIL-missing")]
    [InlineData("send", "EVIL", "EVIL")]
    [InlineData("send", "EVIL-missing", "EVIL")]
    [InlineData("send", "EVIL-foreign", "EVIL")]
    [InlineData("send", "EVIL", "--hex", "EVIL")]
    [InlineData("send", "EVIL", "--file", "EVIL")]
    [InlineData("send", "EVIL", "--type", "EVIL")]
    [InlineData("receive", "EVIL")]
    [InlineData("receive", "EVIL-missing")]
    [InlineData("receive", "EVIL-foreign")]
    [InlineData("record", "EVIL", "/tmp")]
    [InlineData("record", "EVIL-missing", "EVIL")]
    [InlineData("record", "EVIL-foreign", "EVIL")]
    [InlineData("record", "EVIL", "/nowhere/EVIL", "--existing")]
    [InlineData("replay", "EVIL")]
    [InlineData("replay", "EVIL-missing")]
    [InlineData("replay", "RECORDING")]
    [InlineData("replay", "RECORDING", "--to", "EVIL")]
    [InlineData("clean", "-n")]
    [InlineData("clean", "--json")]
    [InlineData("clean")]
    [InlineData("clean", "--force")]
    [InlineData("rm", "EVIL")]
    [InlineData("rm", "EVIL", "--force")]
    [InlineData("rm", "EVIL-foreign")]
    [InlineData("rm", "EVIL-foreign", "--force")]
    [InlineData("rm", "EVIL-missing")]
    [InlineData("doctor")]
    [InlineData("doctor", "--json")]
    [InlineData("proto", "EVIL")]
    [InlineData("proto", "EVIL.dll")]
    [InlineData("call", "EVIL", "Echo", "{}", "-c", "EVIL")]
    [InlineData("call", "EVIL", "EVIL", "EVIL", "-c", "PROTO")]
    [InlineData("call", "EVIL", "Echo", "{}", "-c", "PROTO", "--timeout", "0.01")]
    [InlineData("call", "server", "Echo", "{\"" + "EVIL\": 1}", "-c", "PROTO")]
    [InlineData("call", "server", "Echo", "{}", "-c", "PROTO", "-m", "EVIL")]
    [InlineData("bench", "--seconds", "EVIL")]
    [InlineData("completion", "EVIL")]
    [InlineData("EVIL")]
    [InlineData("show", "--EVIL")]
    public void WhatAVerbPrintsIsTame(params string[] arguments)
    {
        using var parent = new RegionDirectory();
        string directory = Directory.CreateDirectory(parent.FileOf(Evil), UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute).FullName;
        File.WriteAllBytes(Path.Combine(directory, Evil), RegionImage.Ring().Add(Encoding.UTF8.GetBytes("text " + Evil), 0).Bytes);
        File.WriteAllText(Path.Combine(directory, Evil + "-foreign"), "not a region");
        File.WriteAllBytes(Path.Combine(directory, Evil + "-cut"), RegionImage.Ring().Bytes.AsSpan(0, 5000));
        File.CreateSymbolicLink(Path.Combine(directory, Evil + "-link"), Evil);

        string recording = parent.FileOf("~recording");
        using (var writer = new RecordingWriter(recording, "ring", Evil, replaces: false))
            writer.End();

        ToolRun run = ToolRun.With("", directory, [.. arguments.Select(argument => argument.Replace("EVIL", Evil, StringComparison.Ordinal).Replace("PROTO", Proto, StringComparison.Ordinal).Replace("RECORDING", recording, StringComparison.Ordinal))]);
        AssertTame(run.Out);
        AssertTame(run.Error);
        Assert.NotEmpty(run.Out + run.Error);
        Assert.DoesNotContain(run.Lines.Concat(run.Error.Split('\n')), static line => line.StartsWith("all is well\r", StringComparison.Ordinal) || line.StartsWith("all is well.", StringComparison.Ordinal));
        if (arguments.Contains("--json") && run.ExitCode != ExitCode.Usage)
            _ = run.Json; // what was escaped means the same
    }

    [Fact]
    public void JsonSaysTheNamesAsTheyAre()
    {
        using var directory = new RegionDirectory();
        directory.Place(Evil, "not a region"u8);
        Assert.Equal(Evil, Assert.Single(ToolRun.In(directory, "ls", "--json").Json.EnumerateArray()).GetProperty("name").GetString());
    }

    /// <summary>A server's error, its type and the details that come with it are the server's words.</summary>
    [Fact]
    public void WhatAServerSaysIsTame()
    {
        using var directory = new RegionDirectory();
        using var server = RpcPeer.Start(Language.CSharp, directory, "it");
        string request = JsonSerializer.Serialize(new { status = 5, text = Evil });
        ToolRun failed = ToolRun.In(directory, "call", "it", "FailWith", request, "-c", Proto);
        Assert.Equal(ExitCode.CallFailed, failed.ExitCode);
        AssertTame(failed.Error);
        Assert.Contains("\n     all is well", failed.Error, StringComparison.Ordinal);

        using var ring = new RegionDirectory();
        byte[] payload = JsonToProto.Encode(ContractLoader.Load([Proto]).FindMessage("FailRequest"), request);
        ring.Place("it", RegionImage.Ring().Add(payload, 3).Bytes);
        AssertTame(ToolRun.In(ring, "tail", "it", "-c", Proto, "-m", "FailRequest").Out);
        ToolRun decoded = ToolRun.In(ring, "tail", "it", "-c", Proto, "-m", "FailRequest", "--json");
        AssertTame(decoded.Out);
        Assert.Equal(Evil, decoded.Json.GetProperty("message").GetProperty("text").GetString());
    }

    /// <summary>A shell puts a completed name onto the command line as it is.</summary>
    [Fact]
    public async Task ANameThatNoRegionCanHaveIsNotCompleted()
    {
        using var directory = new RegionDirectory();
        foreach (string name in new[] { "orders", "orders$(reboot)", "orders\nreboot", "orders`x`", "orders;x" })
            directory.Place(name, RegionImage.Ring(persistent: true).Bytes);
        using var output = new StringWriter();
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        Environment.SetEnvironmentVariable("IPC_DIR", directory.Path);
        try
        {
            Assert.Equal(0, await ToolCommand.RunAsync(["[suggest:12]", "ipc show ord"], new Terminal(output, output, TextReader.Null, isInteractive: false)));
            Assert.Equal("orders\n", output.ToString());
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
        }
    }

    /// <summary>The tool's own colours and movements are not tamed away with what others wrote between them.</summary>
    [Fact]
    public void ColoursStay()
    {
        using var output = new StringWriter();
        IAnsiConsole console = Terminal.ConsoleOf(output, AnsiSupport.Yes, ColorSystemSupport.Standard);
        console.Write(new Text(Evil));
        AssertTame(output.ToString());
        console.MarkupLine("[bold]" + Markup.Escape(Evil) + "[/]");
        console.Markup(new Cell("fine", "green").Markup("fine"));
        Assert.Contains("\u001b[32mfine\u001b[0m", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("\u001b[1m", output.ToString(), StringComparison.Ordinal);
        AssertTame(output.ToString().Replace("\u001b[0m", "", StringComparison.Ordinal).Replace("\u001b[1m", "", StringComparison.Ordinal).Replace("\u001b[32m", "", StringComparison.Ordinal));
    }

    private static void AssertTame(string text)
    {
        foreach (Rune rune in text.EnumerateRunes())
        {
            bool isTame = rune.Value is '\n' || !(Rune.IsControl(rune) || Rune.GetUnicodeCategory(rune) is System.Globalization.UnicodeCategory.Format
                or System.Globalization.UnicodeCategory.LineSeparator or System.Globalization.UnicodeCategory.ParagraphSeparator);
            Assert.True(isTame, $"U+{rune.Value:X4} in: {JsonSerializer.Serialize(text)}");
        }
    }
}
