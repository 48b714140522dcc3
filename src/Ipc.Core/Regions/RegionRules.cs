namespace Ipc;

/// <summary>What the kind of a region adds to the life of every region: ring, listener, connection each have
/// theirs.</summary>
/// <remarks>All but the first three are called under the region lock, or on a region that nobody else can see yet. They
/// can be interrupted by a kill at any point and are done again by whoever comes next.</remarks>
internal abstract class RegionRules
{
    public abstract RegionKind Kind { get; }

    public abstract ParticipantRole Role { get; }

    /// <summary>The same rules for another region of this kind: an object knows the layout of one.</summary>
    public abstract RegionRules ForAnother();

    /// <summary>The layout of a new region.</summary>
    public abstract RegionGeometry NewGeometry();

    /// <summary>Writes the body of a new region.</summary>
    public abstract void WriteBody(Region region);

    /// <summary>Checks the body of a region that somebody else wrote, before the lock is taken.</summary>
    public abstract void CheckBody(Region region);

    /// <summary>Whether the region is alive enough to join; false: "not found". The dead have been recovered.</summary>
    public virtual bool CanJoin(Region region) => region.HasLiveParticipant() || region.IsKept();

    /// <summary>What whoever opens has asked for; not checked yet.</summary>
    public virtual Lifetime AskedLifetime => Lifetime.Default;

    /// <summary>Of a new region of which nothing is asked.</summary>
    public virtual Lifetime DefaultLifetime => Lifetime.WhileUsed;

    /// <summary>Of a new region. Throws what this kind cannot have.</summary>
    public Lifetime NewLifetime
    {
        get
        {
            Lifetime lifetime = AskedLifetime == Lifetime.Default ? DefaultLifetime : AskedLifetime;
            if (!RegionGeometry.IsLifetimeOf(Kind, lifetime))
            {
                Throw.Status(
                    IpcStatus.InvalidArgument,
                    $"A lifetime of {lifetime} was asked for; a {RegionGeometry.NameOf((uint)Kind)} can have " +
                    $"{RegionGeometry.LifetimesOf(Kind)}.");
            }

            return lifetime;
        }
    }

    /// <summary>Something was committed in it that nobody has received. Under the region lock, the dead recovered,
    /// nobody attached.</summary>
    public virtual bool HoldsMessages(Region region) => false;

    /// <summary>Every dead participant is recovered before joining. False where the table is large and participant 0
    /// watches the others: then, while it lives, only the suspects are asked for.</summary>
    public virtual bool RecoversAllOnJoin => true;

    /// <summary>In the middle of something, and nobody watches it yet.</summary>
    public virtual bool IsSuspect(Region region, int index) => false;

    /// <summary>How "somebody live has that name" is called when it was to be created.</summary>
    public virtual IpcStatus TakenStatus => IpcStatus.Exists;

    /// <summary>Refuses (throws) what the roles do not allow, and takes over what a predecessor left. No entry is taken
    /// yet.</summary>
    public virtual void Prepare(Region region)
    {
    }

    /// <summary>Entry <paramref name="index"/> is live and ours: take the role.</summary>
    public virtual void Join(Region region, int index)
    {
    }

    /// <summary>The body still names this entry: it is not given to anybody.</summary>
    public virtual bool Names(Region region, int index) => false;

    /// <summary>The first entry that a participant of this role may take, and the one behind the last.</summary>
    public virtual (int First, int End) Entries(Region region) => (0, region.Geometry.ParticipantCapacity);

    /// <summary>Participant <paramref name="index"/> leaves in good order.</summary>
    public virtual void Leave(Region region, int index)
    {
    }

    /// <summary>The region ends with this participant although others are live.</summary>
    public virtual bool EndsWith(int index) => false;

    /// <summary>Participant <paramref name="index"/> is dead. Idempotent.</summary>
    public virtual void Recover(Region region, int index)
    {
    }

    /// <summary>Its entry is free now: tell who has to know. Before every waiter is signalled.</summary>
    public virtual void Recovered(Region region, int index)
    {
    }

    /// <summary>Changes the word of every waiter in the body and wakes.</summary>
    public virtual void SignalAll(Region region)
    {
    }

    /// <summary>A left-over is about to be retired: remove what only it knows of.</summary>
    public virtual void Retire(Region region)
    {
    }

    /// <summary>After a recovery that the process watch asked for; on its thread, not under the lock.</summary>
    public virtual void PeersChanged(Region region)
    {
    }
}
