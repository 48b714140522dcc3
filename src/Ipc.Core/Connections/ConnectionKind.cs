namespace Ipc;

/// <summary>A connection's region. It has no participants: who lives is known from the listener's table.</summary>
internal sealed class ConnectionKind : RegionKind
{
    public static readonly ConnectionKind Instance = new();

    public override KindNumber Number => KindNumber.OfConnection;

    public override void CheckBody(Region region) => ((ConnectionEntrance)region.Entrance).Check(region);
}
