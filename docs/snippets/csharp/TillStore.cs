namespace Snippets;

/// <summary>The store as one till sees it: made for each call.</summary>
internal sealed class TillStore(Till till) : Store
{
    public Till Drawer => till;
}
