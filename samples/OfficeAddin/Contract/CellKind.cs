namespace OfficeAddin;

/// <summary>What a cell holds.</summary>
public enum CellKind : byte
{
    Empty,
    Number,
    Text,
    Boolean,
    Error,

    /// <summary>A day, and perhaps the time of it; of no time zone.</summary>
    Date,
}
