namespace Snippets;

/// <summary>What one call needs for itself: in a real program a database context.</summary>
internal sealed class Till
{
}
