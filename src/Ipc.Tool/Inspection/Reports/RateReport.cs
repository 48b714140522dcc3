namespace Ipc.Tool;

/// <summary>What goes in and out per second, between two looks.</summary>
/// <param name="Unit"><c>bytes</c> (rings, padding included) or <c>messages</c>.</param>
/// <param name="In">Written, sent.</param>
/// <param name="Out">Read, received; null where readers are many.</param>
internal sealed record RateReport(string Unit, double In, double? Out);
