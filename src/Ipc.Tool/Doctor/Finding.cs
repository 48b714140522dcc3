namespace Ipc.Tool;

/// <summary>The result of one check of doctor.</summary>
/// <param name="Check">What was looked at.</param>
/// <param name="Verdict">ok, warning (works, but slower or at risk), problem.</param>
/// <param name="Text">What was found.</param>
/// <param name="Remedy">What to do about it; null when it is ok.</param>
internal sealed record Finding(string Check, Verdict Verdict, string Text, string? Remedy = null)
{
    public static Finding Ok(string check, string text) => new(check, Verdict.Ok, text);

    public static Finding Warning(string check, string text, string remedy) => new(check, Verdict.Warning, text, remedy);

    public static Finding Problem(string check, string text, string remedy) => new(check, Verdict.Problem, text, remedy);
}
