namespace Ipc;

/// <summary>One opening of a region: as what, with which wishes, how it is made when there is none; and what is known
/// of it afterwards. Twin of <c>ipc_region_entrance</c>.</summary>
internal abstract class RegionEntrance
{
    public abstract RegionKind Kind { get; }

    public abstract ParticipantRole Role { get; }

    /// <summary>With whom it is to be shared.</summary>
    public virtual Access AskedAccess => Access.User;

    /// <summary>What everybody can write is good enough, whoever was asked for: nothing in it is believed.</summary>
    public virtual bool TakesOpen => false;

    /// <summary>What is asked for; not checked yet.</summary>
    public virtual Lifetime AskedLifetime => Lifetime.Default;

    /// <summary>Of a new region. Throws what its kind cannot have.</summary>
    public Lifetime NewLifetime
    {
        get
        {
            Lifetime lifetime = AskedLifetime == Lifetime.Default ? Kind.DefaultLifetime : AskedLifetime;
            if (!RegionGeometry.IsLifetimeOf(Kind.Number, lifetime))
            {
                Throw.Status(
                    IpcStatus.InvalidArgument,
                    $"A lifetime of {lifetime} is none that {RegionGeometry.OneOf((uint)Kind.Number)} can have.");
            }

            return lifetime;
        }
    }

    /// <summary>How "somebody live has that name" is called when it was to be created.</summary>
    public virtual IpcStatus TakenStatus => IpcStatus.Exists;

    /// <summary>The same wishes for another region of this kind: an entrance knows where the parts of one
    /// are.</summary>
    public abstract RegionEntrance ForAnother();

    /// <summary>The layout of a new region.</summary>
    public abstract RegionGeometry NewGeometry();

    /// <summary>Writes the body of a new region.</summary>
    public abstract void WriteBody(Region region);

    /// <summary>After a recovery that the process watch asked for; on its thread, not under the lock.</summary>
    public virtual void PeersChanged()
    {
    }
}
