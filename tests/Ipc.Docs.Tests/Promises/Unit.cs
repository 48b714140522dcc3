namespace Ipc.Docs.Tests.Promises;

/// <summary>What a document says in one place: a row of a table (its cells joined by " / "), a bullet, or a sentence, below the heading <paramref name="Where"/>, as "NAME: HEADING".</summary>
internal sealed record Unit(string Where, bool IsRow, string Text);
