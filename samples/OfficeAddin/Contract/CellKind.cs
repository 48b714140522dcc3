namespace OfficeAddin;

/// <summary>What a cell holds.</summary>
public enum CellKind : byte
{
    Empty,
    Number,
    Text,
    Boolean,
    Error,
}
