using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Spectre.Console.Rendering;

namespace Ipc.Tool;

/// <summary>Breaks text for a window: between words where it can, within a word that is wider than the window.</summary>
internal static class Folding
{
    /// <summary>How many columns of a terminal it takes: some characters take two, some none.</summary>
    public static int WidthOf(string text) => text.All(static character => character is >= ' ' and < '\x7f') ? text.Length : new Segment(text).CellCount();

    /// <summary>At least one line, none wider than <paramref name="width"/>, unless a single character is.</summary>
    public static List<string> Lines(string text, int width)
    {
        List<string> lines = [];
        string line = "";
        foreach (string word in text.Split(' '))
        {
            string longer = line.Length == 0 ? word : line + " " + word;
            if (WidthOf(longer) <= width)
            {
                line = longer;
                continue;
            }

            if (line.Length > 0)
                lines.Add(line);
            List<string> pieces = Pieces(word, width);
            lines.AddRange(pieces.SkipLast(1));
            line = pieces[^1];
        }

        lines.Add(line);
        return lines;
    }

    /// <summary>One word, cut wherever the window ends.</summary>
    public static List<string> Pieces(string word, int width)
    {
        List<string> pieces = [];
        var piece = new StringBuilder();
        int taken = 0;
        foreach (Rune rune in word.EnumerateRunes())
        {
            string character = rune.ToString();
            int columns = WidthOf(character);
            if (taken + columns > width && piece.Length > 0)
            {
                pieces.Add(piece.ToString());
                piece.Clear();
                taken = 0;
            }

            piece.Append(character);
            taken += columns;
        }

        pieces.Add(piece.ToString());
        return pieces;
    }
}
