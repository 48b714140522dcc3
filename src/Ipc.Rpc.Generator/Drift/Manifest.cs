using System;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Ipc.Rpc.Generator;

/// <summary>A checked-in .proto among the project's additional files.</summary>
internal sealed class Manifest
{
    private Manifest(string path, SourceText text)
    {
        Path = path;
        Text = text;
    }

    public string Path { get; }

    public SourceText Text { get; }

    /// <summary>What it says; <see langword="null"/> when it is not a .proto.</summary>
    public ProtoFile? File { get; private set; }

    public string Problem { get; private set; } = "";

    /// <summary>Whether we wrote it, readable or not.</summary>
    public bool IsGenerated { get; private set; }

    public Location Location => Location.Create(Path, new TextSpan(0, 0), new LinePositionSpan(LinePosition.Zero, LinePosition.Zero));

    public static Manifest? Read(AdditionalText file, System.Threading.CancellationToken cancel)
    {
        if (!file.Path.EndsWith(".proto", StringComparison.OrdinalIgnoreCase) || file.GetText(cancel) is not { } text)
            return null;

        string content = text.ToString();
        var manifest = new Manifest(file.Path, text) { IsGenerated = content.Contains("Generated from the C# contract ") };
        try
        {
            manifest.File = ProtoFileParser.Parse(content);
        }
        catch (FormatException e)
        {
            manifest.Problem = e.Message;
        }

        return manifest;
    }

    /// <summary>Whether it has this text, whatever the ends of its lines.</summary>
    public bool Has(string text) => Text.ToString().Replace("\r\n", "\n").TrimEnd() == text.TrimEnd();
}
