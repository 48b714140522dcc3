namespace Ipc.Tool;

/// <summary>What a state is called, and its colour.</summary>
internal static class Styles
{
    public static Cell State(RegionState state)
    {
        string text = Name(state);
        return state switch
        {
            RegionState.Live => new(text, "green"),
            RegionState.Damaged or RegionState.Unreadable => new(text, "red"),
            RegionState.LeftOver or RegionState.Retired => new(text, "yellow"),
            _ => new(text),
        };
    }

    public static string Name(RegionState state) => state switch
    {
        RegionState.LeftOver => "left-over",
        RegionState.OtherVersion => "other version",
        _ => state.ToString().ToLowerInvariant(),
    };
}
