namespace Ipc;

/// <summary>What lies under one name.</summary>
public sealed class SharedStorageInfo
{
    internal SharedStorageInfo(string name, SharedStorageKind kind)
    {
        Name = name;
        Kind = kind;
    }

    /// <summary>What it is opened by.</summary>
    public string Name { get; }

    /// <summary>As what it is opened.</summary>
    public SharedStorageKind Kind { get; }

    /// <inheritdoc/>
    public override string ToString() => Name + " (" + Kind + ")";
}
